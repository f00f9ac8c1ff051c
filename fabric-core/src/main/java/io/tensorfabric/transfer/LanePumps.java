package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.LanePurpose;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pumps of all lanes of a link: small and urgent pushes and answers take the control lane, large ones and those that
 * nobody waits for the bulk lane with the least to do, the largest all bulk lanes. Guarded by the lock of the link's sender.
 */
final class LanePumps {

    private final LinkSender sender;
    private final ControlPump control;

    /** Of the control lane too, for what is urgent and not small. */
    private final BulkPump urgent;

    private final List<BulkPump> bulk = new ArrayList<>();
    private final Stripes stripes;
    private boolean up;
    private boolean down;

    LanePumps(LinkSender sender, Connection connection, TransferOptions options) {
        this.sender = sender;
        List<Lane> lanes = connection.lanes();
        this.control = new ControlPump(sender, this, lanes.get(0));
        this.urgent =
                new BulkPump(sender, this, lanes.get(0), new Stripes(1, options), BulkPump.Limits.urgent(options));
        List<Lane> bulkLanes = lanes.stream()
                .filter(lane -> lane.purpose() == LanePurpose.BULK)
                .toList();
        if (bulkLanes.isEmpty()) {
            bulkLanes = List.of(lanes.get(0));
        }
        this.stripes = new Stripes(bulkLanes.size(), options);
        for (Lane lane : bulkLanes) {
            bulk.add(new BulkPump(sender, this, lane, stripes, BulkPump.Limits.bulk(options)));
        }
    }

    boolean isUp() {
        return up && !down;
    }

    boolean isDown() {
        return down;
    }

    void open() {
        up = true;
        control.pump();
        urgent.pump();
        spread();
    }

    /** Lets bulk lanes begin by turns, so that each gets its share of what they carry together. */
    private void spread() {
        boolean some = true;
        while (some) {
            some = false;
            for (int i = 0; i < bulk.size(); i++) {
                some |= bulk.get(i).pump(1);
            }
        }
    }

    /** Forgets all that waits. */
    void shut() {
        down = true;
        control.clear();
        urgent.clear();
        stripes.clear();
        bulk.forEach(BulkPump::clear);
    }

    Answers answers() {
        return control.answers();
    }

    void pumpAnswers() {
        control.pump();
    }

    void answersSent() {
        control.answersSent();
    }

    /** Sends a push that has its room. */
    void post(Push push) {
        push.phase(push.isPull() ? PushPhase.READING : PushPhase.WRITING);
        if (usesControl(push)) {
            control.add(push);
            control.pump();
        } else if (stripes.takes(push)) {
            stripes.add(push);
            spread();
        } else {
            BulkPump pump = isUrgent(push) ? urgent : leastBusy();
            pump.add(push);
            StagedSource staged = push.source.staged();
            if (staged != null) {
                staged.start(new StagedPush(sender, push));
            }
            pump.pump();
        }
    }

    /** The small ones that somebody may wait for, and those of which only the header is to be sent. */
    private static boolean usesControl(Push push) {
        boolean bare = push.bytes() == 0 || push.source.isShared();
        return bare || (push.isSmall() && push.options().priority() != TransferPriority.LOW);
    }

    private static boolean isUrgent(Push push) {
        return push.options().priority() == TransferPriority.HIGH;
    }

    /** Sends the header of a push that several lanes carried, once all of them are done: its room is the peer's then. */
    void finish(Push push) {
        if (stripes.isWritten(push)) {
            control.add(push);
            control.pump();
        }
    }

    /** The source of a push has more to write. */
    void resume(Push push) {
        urgent.resume(push);
        for (int i = 0; i < bulk.size(); i++) {
            bulk.get(i).resume(push);
        }
    }

    private BulkPump leastBusy() {
        BulkPump best = bulk.get(0);
        for (int i = 1; i < bulk.size(); i++) {
            if (bulk.get(i).backlog() < best.backlog()) {
                best = bulk.get(i);
            }
        }
        return best;
    }

    /** Posts no more of a push. */
    void remove(Push push) {
        control.remove(push);
        urgent.remove(push);
        stripes.remove(push);
        bulk.forEach(pump -> pump.remove(push));
    }

    /** A transmission of a push ended on a lane. */
    void ended(Push push, Lane lane) {
        BulkPump pump = pumpOf(push, lane);
        if (pump != null) {
            pump.ended();
            pump.pump();
        }
    }

    private @Nullable BulkPump pumpOf(Push push, Lane lane) {
        if (usesControl(push)) {
            return null;
        }
        return isUrgent(push) ? urgent : find(lane);
    }

    /** A lane that refused has room again. */
    void ready(Lane lane) {
        if (lane.index() == 0) {
            control.unblock();
            control.pump();
            urgent.unblock();
            urgent.pump();
        }
        BulkPump pump = find(lane);
        if (pump != null) {
            pump.unblock();
            pump.pump();
        }
    }

    private @Nullable BulkPump find(Lane lane) {
        for (int i = 0; i < bulk.size(); i++) {
            if (bulk.get(i).isFor(lane)) {
                return bulk.get(i);
            }
        }
        return null;
    }
}

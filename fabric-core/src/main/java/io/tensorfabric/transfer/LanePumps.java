package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.LanePurpose;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pumps of all lanes of a link: small pushes and answers take the control lane, large pushes the bulk lane with the
 * least to do, the largest all bulk lanes. Guarded by the lock of the link's sender.
 */
final class LanePumps {

    private final LinkSender sender;
    private final ControlPump control;
    private final List<BulkPump> bulk = new ArrayList<>();
    private final Stripes stripes;
    private boolean up;
    private boolean down;

    LanePumps(LinkSender sender, Connection connection, TransferOptions options) {
        this.sender = sender;
        List<Lane> lanes = connection.lanes();
        this.control = new ControlPump(sender, this, lanes.get(0));
        List<Lane> bulkLanes = lanes.stream()
                .filter(lane -> lane.purpose() == LanePurpose.BULK)
                .toList();
        if (bulkLanes.isEmpty()) {
            bulkLanes = List.of(lanes.get(0));
        }
        this.stripes = new Stripes(bulkLanes.size(), options);
        for (Lane lane : bulkLanes) {
            bulk.add(new BulkPump(sender, this, lane, stripes, options));
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
            BulkPump pump = leastBusy();
            pump.add(push);
            StagedSource staged = push.source.staged();
            if (staged != null) {
                staged.start(new StagedPush(sender, push));
            }
            pump.pump();
        }
    }

    /** The small ones, and those of which only the header is to be sent. */
    private static boolean usesControl(Push push) {
        return push.isSmall() || push.source.isShared();
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
        stripes.remove(push);
        bulk.forEach(pump -> pump.remove(push));
    }

    /** A transmission of a push ended on a lane. */
    void ended(Push push, Lane lane) {
        BulkPump pump = usesControl(push) ? null : find(lane);
        if (pump != null) {
            pump.ended();
            pump.pump();
        }
    }

    /** A lane that refused has room again. */
    void ready(Lane lane) {
        if (lane.index() == 0) {
            control.unblock();
            control.pump();
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

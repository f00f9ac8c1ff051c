package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.LanePurpose;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pumps of all lanes of a link: small pushes and answers take the control lane, large pushes the bulk lane with the
 * least to do. Guarded by the lock of the link's sender.
 */
final class LanePumps {

    private final LinkSender sender;
    private final ControlPump control;
    private final List<BulkPump> bulk = new ArrayList<>();
    private boolean up;
    private boolean down;

    LanePumps(LinkSender sender, Connection connection, TransferOptions options) {
        this.sender = sender;
        List<Lane> lanes = connection.lanes();
        this.control = new ControlPump(sender, this, lanes.get(0));
        for (Lane lane : lanes) {
            if (lane.purpose() == LanePurpose.BULK) {
                bulk.add(new BulkPump(sender, this, lane, options));
            }
        }
        if (bulk.isEmpty()) {
            bulk.add(new BulkPump(sender, this, lanes.get(0), options));
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
        bulk.forEach(BulkPump::pump);
    }

    /** Forgets all that waits. */
    void shut() {
        down = true;
        control.clear();
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

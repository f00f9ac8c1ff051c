package io.tensorfabric.transfer;

import io.tensorfabric.connection.Lane;
import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the pushes of a link as their transmissions end and their answers come. Guarded by the lock of the link's
 * sender.
 */
final class PushEnds {

    private final Engine engine;
    private final LanePumps pumps;
    private final Rooms rooms;
    private final PeerRegions regions;

    PushEnds(Engine engine, LanePumps pumps, Rooms rooms, PeerRegions regions) {
        this.engine = engine;
        this.pumps = pumps;
        this.rooms = rooms;
        this.regions = regions;
    }

    /**
     * A transmission ended.
     *
     * @param ended takes the push if it ends, to tell of it later; {@code null} to tell at once
     * @return whether the push now belongs to the caller, to be tried again
     */
    boolean take(Push push, Lane lane, long bytes, WorkCompletionStatus status, @Nullable EndedPushes ended) {
        push.outstanding--;
        if (status == WorkCompletionStatus.SUCCESS) {
            long placed = push.placed;
            push.placed = placed + bytes;
            push.source.placed(push.placed);
        } else if (!push.broken) {
            push.broken = true;
            push.failure = status;
            // The connection ends: no other lane need begin with more of it.
            pumps.remove(push);
        }
        if (push.isDecided()) {
            // Who decided it may not have come here yet, and what is dropped must not be posted any more.
            pumps.remove(push);
            dropIfDone(push);
        } else {
            pumps.finish(push);
            succeedIfDone(push, ended);
        }
        pumps.ended(push, lane);
        regions.giveBack();
        return leaveIfTurnedAway(push);
    }

    /** Whether a push may try the peer's successor: the peer took it no more, and the device is done with this attempt. */
    static boolean leaveIfTurnedAway(Push push) {
        boolean again = push.turnedAway && push.outstanding == 0 && !push.isDecided();
        if (again) {
            push.leaveLink();
        }
        return again;
    }

    /** @param ended as for {@link #take} */
    void succeedIfDone(Push push, @Nullable EndedPushes ended) {
        boolean placed = push.headerPosted && push.outstanding == 0 && push.placed == push.bytes();
        if (!placed || push.broken || push.turnedAway) {
            return;
        }
        ReceiptLevel level = push.answer == null ? ReceiptLevel.PLACED : push.answer;
        if (level.compareTo(push.options().receipt()) < 0) {
            return;
        }
        if (push.isPull()) {
            RegionReads.end(engine, push);
            return;
        }
        push.succeed(level);
        if (ended == null) {
            push.release();
        } else {
            push.release(ended);
        }
    }

    /** A decided push is released when the device is done; room that the peer never learns of is free again. */
    void dropIfDone(Push push) {
        if (push.outstanding > 0 || push.source.isBusy()) {
            return;
        }
        PeerZone zone = push.zone;
        push.zone = null;
        push.release();
        if (zone != null && push.region == null && !push.headerPosted && !pumps.isDown()) {
            rooms.giveBack(zone, push.offset);
        }
    }
}

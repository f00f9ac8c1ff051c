package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.RegionGrant;
import io.tensorfabric.connection.RegionRequest;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The end of a pull, when all bytes are here: they come to their place, and are compared with the peer's if that is wanted. */
final class RegionReads {

    private RegionReads() {}

    /** Under the lock of the link's sender, which owns the pull. */
    static void end(Engine engine, Push pull) {
        pull.source.bringBack(pull.bytes());
        if (!pull.options().checksum()) {
            pull.succeed(ReceiptLevel.PLACED);
            pull.release();
            return;
        }
        // The device is done with it: the link need not know it any more, and may end.
        pull.leaveLink();
        pull.phase(PushPhase.CHECKING);
        try {
            engine.blocking(() -> compare(pull));
        } catch (RejectedExecutionException e) {
            engine.callback(() -> pull.failOwned(PushFailures.shuttingDown(pull)));
        }
    }

    /** On a blocking thread, which owns the pull. */
    private static void compare(Push pull) {
        if (pull.isDecided()) {
            pull.release();
            return;
        }
        Integer theirs;
        try {
            theirs = ask(pull);
        } catch (ConnectionException e) {
            Connection over = pull.region == null ? null : pull.region.connection();
            if (over != null) {
                PeerRegions.endIfUnknown(over, e);
            }
            if (PushFailures.isRecoverable(e)) {
                pull.attemptFailed(e);
            } else {
                pull.failOwned(PushFailures.regionRefused(pull, e));
            }
            return;
        } catch (RuntimeException e) {
            pull.failOwned(PushFailures.lost(pull, e));
            return;
        }
        if (theirs == null || theirs != Checksums.of(pull.source.origin(), pull.bytes())) {
            pull.failOwned(PushFailures.checksum(pull));
            return;
        }
        pull.placed = pull.bytes();
        pull.succeed(ReceiptLevel.PLACED);
        pull.release();
    }

    private static @Nullable Integer ask(Push pull) {
        RegionUse use = pull.region;
        Connection connection = use == null ? null : use.connection();
        if (use == null || connection == null) {
            throw new IllegalStateException(pull + " has read without access");
        }
        RegionRequest.Part part = new RegionRequest.Part(use.start(), pull.bytes());
        Duration patience = Duration.ofNanos(Math.max(1, pull.remainingNanos()));
        RegionGrant answer = connection
                .requestRegion(new RegionRequest(use.name(), part), patience)
                .region();
        return answer == null ? null : answer.checksum();
    }
}

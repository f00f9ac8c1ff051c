package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.verbs.MemoryRegion;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/**
 * Gets the memory that a pull is read into registered: as it is when it lies in the pool, a buffer of the pool in its place when
 * it is small, else registered for the time of the pull. Thread-safe.
 */
final class PullTargets {

    private static final String HOLDER = "copy of a small tensor that is pulled";

    private final Engine engine;

    PullTargets(Engine engine) {
        this.engine = engine;
    }

    /** Prepares an admitted pull, whose owner is the caller, and routes it on. */
    void prepare(Push pull, PeerChannel channel) {
        try {
            if (prepareNow(pull)) {
                channel.route(pull);
            } else if (pull.isSmall() && engine.options().whenFull() == WhenFull.FAIL) {
                pull.failOwned(PushFailures.noSource(pull, null));
            } else {
                engine.blocking(() -> prepareBlocking(pull, channel));
            }
        } catch (RejectedExecutionException e) {
            pull.failOwned(PushFailures.shuttingDown(pull));
        }
    }

    private boolean prepareNow(Push pull) {
        if (pull.bytes() == 0) {
            return true;
        }
        MemoryRegion region = engine.memory().regionOf(pull.source.origin(), pull.bytes());
        if (region != null) {
            pull.source.useRegion(region.lkey());
            return true;
        }
        BufferLease lease = pull.isSmall() ? engine.memory().tryAcquire(pull.bytes(), HOLDER) : null;
        if (lease != null) {
            pull.source.useCopy(lease);
        }
        return lease != null;
    }

    private void prepareBlocking(Push pull, PeerChannel channel) {
        if (pull.isDecided()) {
            pull.release();
            return;
        }
        try {
            if (pull.isSmall()) {
                Duration patience = Duration.ofNanos(pull.remainingNanos());
                pull.source.useCopy(engine.memory().acquire(pull.bytes(), HOLDER, patience));
            } else {
                pull.source.useRegistration(engine.memory().registerTarget(pull.source.origin(), pull.bytes()));
            }
        } catch (RuntimeException e) {
            pull.failOwned(PushFailures.noSource(pull, e));
            return;
        }
        channel.route(pull);
    }
}

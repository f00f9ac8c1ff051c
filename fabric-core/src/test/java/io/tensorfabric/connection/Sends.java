package io.tensorfabric.connection;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Sends in tests, waiting for room. */
final class Sends {

    static final int TYPE = 0x40;

    private Sends() {}

    /** Begins, trying until the lane has room. */
    static Transmission begin(Lane lane, int requests, boolean withMessage) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        Transmission transmission = lane.begin(requests, withMessage);
        while (transmission == null) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("lane " + lane.index() + " has no room");
            }
            LockSupport.parkNanos(20_000);
            transmission = lane.begin(requests, withMessage);
        }
        return transmission;
    }

    /** Sends a message with a number in its body. */
    static CompletableFuture<WorkCompletionStatus> message(Lane lane, long number) {
        Transmission transmission = begin(lane, 1, true);
        transmission.message(TYPE).putLong(number);
        return submit(transmission);
    }

    /** Writes into a zone. */
    static CompletableFuture<WorkCompletionStatus> write(
            Lane lane, BufferLease source, int length, ZoneGrant zone, int rkeyChange) {
        Transmission transmission = begin(lane, 1, false);
        transmission.write(
                source.address(),
                length,
                source.region().lkey(),
                zone.address(),
                zone.rkeys().get(lane.index()) + rkeyChange);
        return submit(transmission);
    }

    static CompletableFuture<WorkCompletionStatus> submit(Transmission transmission) {
        Once end = new Once();
        transmission.submit(end, 0);
        return end.future;
    }

    static WorkCompletionStatus await(CompletableFuture<WorkCompletionStatus> end) throws Exception {
        try {
            return end.get(20, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("a transmission did not end", e);
        }
    }

    /** Remembers transmissions that ended twice. */
    static final ConcurrentLinkedQueue<String> ENDED_TWICE = new ConcurrentLinkedQueue<>();

    private static final class Once implements TransmissionListener {

        private final CompletableFuture<WorkCompletionStatus> future = new CompletableFuture<>();

        @Override
        public void completed(Lane lane, long token, WorkCompletionStatus status, int vendorError) {
            if (!future.complete(status)) {
                ENDED_TWICE.add("lane " + lane.index() + " with " + status);
            }
        }
    }

    static @Nullable WorkCompletionStatus now(CompletableFuture<WorkCompletionStatus> end) {
        return end.getNow(null);
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Work of a connection itself that somebody waits for: binds, probes, greetings. */
final class InternalWork {

    /** For messages whose end nobody waits for: an error is the connection's end, which shows elsewhere. */
    static final TransmissionListener IGNORED = (lane, token, status, vendorError) -> {};

    private static final long RETRY_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private InternalWork() {}

    /**
     * Posts work of one request; waits for room, not for the end.
     *
     * @param withMessage whether the work is a message
     * @param deadline in terms of {@link System#nanoTime}
     * @return the status with which it ends
     * @throws ConnectionException if there is no room in time, or the connection's own failure
     */
    static CompletableFuture<WorkCompletionStatus> post(
            QueuePairLane lane, boolean withMessage, Deadline deadline, Consumer<LaneTransmission> work) {
        LaneTransmission transmission = lane.beginInternal(withMessage, LaneCredits.KEPT_FROM_ALL);
        while (transmission == null) {
            ConnectionException failure = lane.connection().failure();
            if (failure != null) {
                throw failure;
            }
            if (deadline.hasPassed() || lane.connection().state() == ConnectionState.DOWN) {
                throw new ConnectionException(
                        ConnectionException.Kind.UNREACHABLE,
                        lane.connection().peerName(),
                        "Lane " + lane.index() + " to " + lane.connection().peerName() + " had no room in time");
            }
            LockSupport.parkNanos(RETRY_NANOS);
            transmission = lane.beginInternal(withMessage, LaneCredits.KEPT_FROM_ALL);
        }
        CompletableFuture<WorkCompletionStatus> end = new CompletableFuture<>();
        boolean submitted = false;
        try {
            work.accept(transmission);
            submitted = true;
            transmission.submit((ignored, token, status, vendorError) -> end.complete(status), 0);
        } finally {
            if (!submitted) {
                transmission.cancel();
            }
        }
        return end;
    }

    /**
     * Waits for a future of the fabric.
     *
     * @param what what is waited for, for the message
     * @throws ConnectionException if it does not end in time, or ended with one
     */
    static <T> T await(CompletableFuture<T> future, Deadline deadline, String peer, String what) {
        try {
            return future.get(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ConnectionException(
                    ConnectionException.Kind.UNREACHABLE, peer, what + " did not end in time with peer " + peer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectionException(
                    ConnectionException.Kind.CLOSED, peer, "Interrupted while waiting: " + what, null, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ConnectionException failure) {
                throw failure;
            }
            throw new ConnectionException(
                    ConnectionException.Kind.UNREACHABLE, peer, what + " failed with peer " + peer, null, e.getCause());
        }
    }
}

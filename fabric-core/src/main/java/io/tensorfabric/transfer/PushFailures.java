package io.tensorfabric.transfer;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.memory.PoolExhaustedException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Words and kinds of failed pushes. */
final class PushFailures {

    private PushFailures() {}

    private static String subject(Push push) {
        RegionUse region = push.region;
        String bytes = "' (" + push.bytes() + " bytes) ";
        return region == null
                ? "Push " + push.id() + " of tensor '" + push.name() + bytes + "to peer '" + push.peer() + "'"
                : region.operation().noun() + " " + push.id() + " of published tensor '" + push.name() + bytes
                        + (region.operation() == RegionUse.Operation.PUT ? "to" : "from") + " peer '" + push.peer()
                        + "'";
    }

    static TransferException deadline(Push push) {
        WorkCompletionStatus status = push.failure;
        StringBuilder message = new StringBuilder(subject(push))
                .append(" missed its deadline after ")
                .append(Duration.ofNanos(push.elapsedNanos()).toMillis())
                .append(" ms, ")
                .append(push.phase().text())
                .append(", ")
                .append(push.placed)
                .append(" bytes placed, attempt ")
                .append(push.attempt());
        append(message, status);
        if (push.phase().isBackpressure()) {
            message.append(". The receiver must close tensors sooner, or zones, pools and limits must grow");
            return new BackpressureException(push.peer(), message.toString(), status, null);
        }
        message.append(". Check the peer, or give the push more time");
        return new DeadlineExceededException(push.peer(), message.toString(), status, null);
    }

    /** The connection was lost, or could not be made, and there is no further attempt. */
    static TransferException lost(Push push, Throwable problem) {
        Throwable cause = TransferExceptionTranslator.unwrap(problem);
        if (cause instanceof CallNotPermittedException refusal) {
            return refused(push, refusal);
        }
        WorkCompletionStatus own = push.failure;
        WorkCompletionStatus status = own != null ? own : statusOf(cause);
        StringBuilder message = new StringBuilder(subject(push))
                .append(" failed in attempt ")
                .append(push.attempt())
                .append(", ")
                .append(push.placed)
                .append(" bytes placed: ")
                .append(cause.getMessage());
        append(message, status);
        return TransferExceptionTranslator.of(message.toString(), push.peer(), status, cause, push.isNodeClosing());
    }

    /** The work-completion status behind a problem, if there was one. */
    static @Nullable WorkCompletionStatus statusOf(Throwable problem) {
        return TransferExceptionTranslator.unwrap(problem) instanceof ConnectionException lost ? lost.status() : null;
    }

    /** Nothing was tried: the circuit breaker of the peer is open. */
    private static TransferException refused(Push push, CallNotPermittedException refusal) {
        WorkCompletionStatus status = push.failure;
        StringBuilder message = new StringBuilder(subject(push))
                .append(
                        " was not tried: the latest pushes and connections to this peer failed, so its circuit breaker '")
                .append(refusal.getCausingCircuitBreakerName())
                .append("' lets none through for a while. Look at the peer; the breaker tries it again by itself");
        append(message, status);
        return TransferExceptionTranslator.of(message.toString(), push.peer(), status, refusal, false);
    }

    /** Whether another attempt may help: also when the other node shuts down, since it may come back. */
    static boolean isRecoverable(Throwable problem) {
        return TransferExceptionTranslator.unwrap(problem) instanceof ConnectionException lost
                && switch (lost.kind()) {
                    case UNREACHABLE, LOST, CONFLICT, NOT_FOUND, CLOSED, LIMIT -> true;
                    case UNKNOWN_PEER, REFUSED, MALFORMED, NOT_PUBLISHED -> false;
                };
    }

    /** Whether asking for a zone again may help: a budget that is used up stays so, since zones are kept for later tensors. */
    static boolean isRecoverableZone(ConnectionException refusal) {
        return refusal.kind() != ConnectionException.Kind.LIMIT && isRecoverable(refusal);
    }

    static TransferException rejected(Push push, RejectCode code, String text) {
        String message = subject(push) + " was not taken (" + code + "): " + text;
        return TransferExceptionTranslator.rejected(code, push.peer(), message);
    }

    /** The peer gives no access to a published tensor, though there is a connection. */
    static TransferException regionRefused(Push push, ConnectionException refusal) {
        String message = subject(push) + " failed: " + refusal.getMessage();
        return refusal.kind() == ConnectionException.Kind.REFUSED
                ? new TransferNotPermittedException(push.peer(), message, true, refusal)
                : TransferExceptionTranslator.of(message, push.peer(), refusal.status(), refusal, push.isNodeClosing());
    }

    /** The peer gives access, but not this one. */
    static TransferException notPermitted(Push push, String what) {
        String message = subject(push) + " is not permitted: this node may not " + what
                + " that tensor. Its owner decides, by the rights of this node and by how it published the tensor";
        return new TransferNotPermittedException(push.peer(), message, true, null);
    }

    static TransferException mismatch(Push push, String why) {
        return new TensorMismatchException(push.peer(), subject(push) + " does not fit: " + why, null);
    }

    /** What was pulled is not what the peer has. */
    static TransferException checksum(Push push) {
        String message = subject(push) + " brought other bytes than the peer has now: they changed on the way, or"
                + " somebody wrote into the tensor meanwhile. What is in the local tensor must not be used";
        return new ChecksumMismatchException(push.peer(), message, null);
    }

    /** The peer took a tensor no more, since it shuts down. */
    static ConnectionException peerShutsDown(Push push) {
        return new ConnectionException(
                ConnectionException.Kind.CLOSED, push.peer(), "Peer '" + push.peer() + "' is shutting down");
    }

    /** The peer's tensors land elsewhere. */
    static TransferException landing(Push push, String why) {
        String message = subject(push) + " cannot land in memory of the kind "
                + push.options().landing() + " there: " + why + ", or push without asking for a kind of memory";
        return new LandingUnavailableException(push.peer(), message, null);
    }

    /** The peer cannot have its listeners hear of a whole group at once. */
    static TransferException group(Push push, String why) {
        String message = subject(push) + " cannot go with its group: " + why;
        return new InvalidTransferException(push.peer(), message, null);
    }

    /** The peer gives no zone of its own for a large tensor. */
    static TransferException zoneRefused(Push push, ConnectionException refusal) {
        String message =
                subject(push) + " needs a landing zone of its own, which the peer refuses: " + refusal.getMessage();
        return refusal.kind() == ConnectionException.Kind.REFUSED
                ? new TransferNotPermittedException(
                        push.peer(), message + ". Give this node the right to push at the peer", true, refusal)
                : new TransferRejectedException(
                        push.peer(),
                        message + ". Raise the peer's limit for dedicated zones, or push smaller tensors",
                        refusal);
    }

    static TransferException full(Push push, int limit, String of) {
        String message = subject(push) + " was refused here: " + limit + " pushes to this peer are " + of
                + " already. Wait for some of them, or raise the limit";
        return new BackpressureException(push.peer(), message, null, null);
    }

    static TransferException noSource(Push push, @Nullable RuntimeException cause) {
        boolean exhausted = cause == null || cause instanceof PoolExhaustedException;
        String message = subject(push) + " has no registered memory to send from: "
                + (cause == null ? "the pool has no buffer free now" : cause.getMessage());
        return exhausted
                ? new BackpressureException(push.peer(), message, null, cause)
                : new InvalidTransferException(push.peer(), message, cause);
    }

    static TransferException shuttingDown(Push push) {
        String message = subject(push) + " was stopped: this node is shutting down, " + push.placed + " bytes placed";
        return new TransfersClosedException(push.peer(), message, null);
    }

    private static void append(StringBuilder message, @Nullable WorkCompletionStatus status) {
        if (status != null) {
            message.append(" (").append(status).append(": ").append(status.cause());
            message.append(' ').append(status.remedy()).append(')');
        }
    }
}

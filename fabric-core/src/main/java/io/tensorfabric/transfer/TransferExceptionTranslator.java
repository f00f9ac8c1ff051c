package io.tensorfabric.transfer;

import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.memory.PoolExhaustedException;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link TransferException} of whatever a transfer ended with: failures of connections and negotiations, of devices
 * and pools, refusals of circuit breakers and bulkheads, cancellations and timeouts. The one place that decides which class a
 * failure has. Stateless.
 */
public final class TransferExceptionTranslator {

    private TransferExceptionTranslator() {}

    /**
     * What a problem means for who transfers.
     *
     * @param what what failed, with its tensor and peer, to begin the message with
     * @param peer the peer's name
     * @param problem what it ended with; what futures wrap around it is taken off
     * @return the problem itself if it is a {@link TransferException} already
     */
    public static TransferException translate(String what, String peer, Throwable problem) {
        Throwable cause = unwrap(problem);
        if (cause instanceof TransferException known) {
            return known;
        }
        WorkCompletionStatus status = cause instanceof ConnectionException failure ? failure.status() : null;
        return of(what + ": " + cause.getMessage(), peer, status, cause, false);
    }

    /**
     * The same with a message that is complete.
     *
     * @param closing whether this node is shutting down, so that closed connections are its own doing
     */
    static TransferException of(
            String message, String peer, @Nullable WorkCompletionStatus status, Throwable cause, boolean closing) {
        if (cause instanceof ConnectionException failure) {
            return ofConnection(message, peer, status, failure, closing);
        }
        if (cause instanceof CallNotPermittedException) {
            return new PeerUnavailableException(peer, message, status, cause, true);
        }
        if (cause instanceof BulkheadFullException || cause instanceof PoolExhaustedException) {
            return new BackpressureException(peer, message, status, cause);
        }
        if (cause instanceof VerbsException failure) {
            return isShortage(failure.errno())
                    ? new BackpressureException(peer, message, status, cause)
                    : new DeviceFailureException(peer, message, status, cause);
        }
        if (cause instanceof CancellationException || cause instanceof InterruptedException) {
            return new TransferCancelledException(peer, message, cause);
        }
        if (cause instanceof TimeoutException) {
            return new DeadlineExceededException(peer, message, status, cause);
        }
        if (cause instanceof IllegalArgumentException) {
            return new InvalidTransferException(peer, message, cause);
        }
        return new PeerUnavailableException(peer, message, status, cause, false);
    }

    private static TransferException ofConnection(
            String message,
            String peer,
            @Nullable WorkCompletionStatus status,
            ConnectionException cause,
            boolean closing) {
        return switch (cause.kind()) {
            case UNKNOWN_PEER -> new UnknownPeerException(peer, message, cause);
            case UNREACHABLE, CONFLICT, NOT_FOUND -> new PeerUnavailableException(peer, message, status, cause, true);
            case MALFORMED -> new PeerUnavailableException(peer, message, status, cause, false);
            case REFUSED -> new TransferNotPermittedException(peer, message, false, cause);
            case LIMIT -> new BackpressureException(peer, message, status, cause);
            case NOT_PUBLISHED -> new TensorNotPublishedException(peer, message, cause);
            case CLOSED ->
                closing
                        ? new TransfersClosedException(peer, message, cause)
                        : new PeerUnavailableException(peer, message, status, cause, true);
            case LOST ->
                status == null || isOfThePath(status)
                        ? new ConnectionLostException(peer, message, status, cause)
                        : new DeviceFailureException(peer, message, status, cause);
        };
    }

    /** Whether a status says that the other end was not heard of, rather than that a device refused something. */
    private static boolean isOfThePath(WorkCompletionStatus status) {
        return switch (status) {
            case WR_FLUSH_ERR, RETRY_EXC_ERR, RNR_RETRY_EXC_ERR, REM_ABORT_ERR, RESP_TIMEOUT_ERR -> true;
            default -> false;
        };
    }

    private static boolean isShortage(Errno errno) {
        return errno == Errno.ENOMEM || errno == Errno.ENOSPC || errno == Errno.EAGAIN;
    }

    /** What the answer of a receiver means. */
    static TransferException rejected(RejectCode code, String peer, String message) {
        return switch (code) {
            case NO_LISTENER, REFUSED -> new TransferRejectedException(peer, message, null);
            case CHECKSUM -> new ChecksumMismatchException(peer, message, null);
            case LISTENER_FAILED -> new ListenerFailedException(peer, message, null);
            case BUSY -> new BackpressureException(peer, message, null, null);
            case SHUTTING_DOWN -> new PeerUnavailableException(peer, message, null, null, true);
        };
    }

    /** The same failure with another message and the stack of the caller; the earlier one is its cause. */
    static TransferException anew(TransferException known, String message) {
        String peer = known.peer();
        WorkCompletionStatus status = known.status();
        if (known instanceof DeviceFailureException) {
            return new DeviceFailureException(peer, message, status, known);
        }
        if (known instanceof ConnectionLostException) {
            return new ConnectionLostException(peer, message, status, known);
        }
        if (known instanceof TransferNotPermittedException) {
            boolean connected = known.kind() == TransferException.Kind.REJECTED;
            return new TransferNotPermittedException(peer, message, connected, known);
        }
        if (known instanceof ChecksumMismatchException) {
            return new ChecksumMismatchException(peer, message, known);
        }
        if (known instanceof TensorNotPublishedException) {
            return new TensorNotPublishedException(peer, message, known);
        }
        if (known instanceof LandingUnavailableException) {
            return new LandingUnavailableException(peer, message, known);
        }
        if (known instanceof TensorMismatchException) {
            return new TensorMismatchException(peer, message, known);
        }
        return switch (known.kind()) {
            case UNKNOWN_PEER -> new UnknownPeerException(peer, message, known);
            case PEER_LOST -> new PeerUnavailableException(peer, message, status, known, known.isRetryable());
            case DEADLINE -> new DeadlineExceededException(peer, message, status, known);
            case REJECTED -> new TransferRejectedException(peer, message, known);
            case LISTENER_FAILED -> new ListenerFailedException(peer, message, known);
            case BACKPRESSURE -> new BackpressureException(peer, message, status, known);
            case INVALID -> new InvalidTransferException(peer, message, known);
            case CANCELLED -> new TransferCancelledException(peer, message, known);
            case CLOSED -> new TransfersClosedException(peer, message, known);
        };
    }

    /** Takes off what futures wrap around a failure. */
    static Throwable unwrap(Throwable problem) {
        Throwable cause = problem;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}

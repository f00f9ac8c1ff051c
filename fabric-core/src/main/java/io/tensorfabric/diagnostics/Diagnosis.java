package io.tensorfabric.diagnostics;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.memory.PoolExhaustedException;
import io.tensorfabric.memory.cuda.CudaDriverException;
import io.tensorfabric.transfer.ChecksumMismatchException;
import io.tensorfabric.transfer.TransferException;
import io.tensorfabric.transfer.TransferNotPermittedException;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * What an exception tells, in the words of the fault table.
 *
 * @param detail what happened
 * @param remedy what to do
 */
record Diagnosis(String detail, String remedy) {

    private static final int DEPTH = 16;

    static Diagnosis of(Throwable problem) {
        String detail = problem.getMessage() == null ? problem.getClass().getSimpleName() : problem.getMessage();
        Throwable cause = problem;
        String remedy = "Look at the log of both nodes.";
        for (int i = 0; cause != null && i < DEPTH; i++) {
            WorkCompletionStatus status = status(cause);
            if (status != null) {
                return new Diagnosis(detail, status.remedy());
            }
            if (cause instanceof TransferNotPermittedException refusal
                    && refusal.kind() == TransferException.Kind.REJECTED) {
                return new Diagnosis(detail, Symptom.NO_RIGHT.remedy());
            }
            // The innermost that is known tells most.
            String known = remedy(cause);
            remedy = known == null ? remedy : known;
            cause = cause.getCause();
        }
        return new Diagnosis(detail, remedy);
    }

    private static @Nullable WorkCompletionStatus status(Throwable cause) {
        if (cause instanceof ConnectionException connection) {
            return connection.status();
        }
        return cause instanceof TransferException transfer ? transfer.status() : null;
    }

    private static @Nullable String remedy(Throwable cause) {
        if (cause instanceof VerbsException verbs) {
            return verbs.errno().remedy();
        }
        if (cause instanceof CudaDriverException cuda) {
            return cuda.error().remedy() + ".";
        }
        if (cause instanceof PoolExhaustedException) {
            return Symptom.POOL_EXHAUSTED.remedy();
        }
        if (cause instanceof ConnectionException connection) {
            return remedy(connection);
        }
        if (cause instanceof TransferException transfer) {
            return remedy(transfer);
        }
        return null;
    }

    private static @Nullable String remedy(ConnectionException connection) {
        return switch (connection.kind()) {
            case UNKNOWN_PEER, UNREACHABLE, LOST -> Symptom.PEER_UNREACHABLE.remedy();
            case REFUSED -> Symptom.CALL_REFUSED.remedy();
            case LIMIT -> Symptom.QUEUE_PAIR_LIMIT.remedy();
            case MALFORMED, CONFLICT, NOT_FOUND, NOT_PUBLISHED, CLOSED -> null;
        };
    }

    private static @Nullable String remedy(TransferException transfer) {
        return switch (transfer.kind()) {
            case UNKNOWN_PEER -> Symptom.PEER_UNREACHABLE.remedy();
            case PEER_LOST -> Symptom.BREAKER_OPEN.remedy();
            case DEADLINE -> Symptom.PATH_BROKEN.remedy();
            case REJECTED ->
                transfer instanceof ChecksumMismatchException
                        ? Symptom.CHECKSUM.remedy()
                        : Symptom.PREFLIGHT_UNKNOWN.remedy();
            case BACKPRESSURE -> Symptom.POOL_EXHAUSTED.remedy();
            case LISTENER_FAILED, INVALID, CANCELLED, CLOSED -> null;
        };
    }
}

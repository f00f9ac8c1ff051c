package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.memory.PoolExhaustedException;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of a negotiation and says in every failure which step it was, where and with whom.
 *
 * @param peer name or node id of the peer
 * @param path own port and GID
 */
record NegotiationSteps(String peer, PathDecision path) {

    /** A failure that knows its step. */
    static final class StepException extends ConnectionException {

        private static final long serialVersionUID = 1L;

        private final String step;

        private final @Nullable Errno errno;

        StepException(Kind kind, String peer, String message, Throwable cause, String step) {
            super(kind, peer, message, statusOf(cause), cause);
            this.step = step;
            this.errno = cause instanceof VerbsException verbs ? verbs.errno() : null;
        }

        private static io.tensorfabric.verbs.@Nullable WorkCompletionStatus statusOf(Throwable cause) {
            return cause instanceof ConnectionException failure ? failure.status() : null;
        }

        String step() {
            return step;
        }

        @Nullable Errno errno() {
            return errno;
        }
    }

    void run(String step, Runnable action) {
        call(step, () -> {
            action.run();
            return this;
        });
    }

    <T> T call(String step, Supplier<T> action) {
        try {
            return action.get();
        } catch (StepException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new StepException(kindOf(e), peer, message(step, e), e, step);
        }
    }

    private static Kind kindOf(RuntimeException e) {
        if (e instanceof ConnectionException failure) {
            return failure.kind();
        }
        if (e instanceof PoolExhaustedException) {
            return Kind.LIMIT;
        }
        if (e instanceof VerbsException verbs && (verbs.errno() == Errno.ENOMEM || verbs.errno() == Errno.ENOSPC)) {
            return Kind.LIMIT;
        }
        return Kind.UNREACHABLE;
    }

    private String message(String step, RuntimeException e) {
        return "Connecting to " + peer + " failed at step '" + step + "' on " + path.device() + " port " + path.port()
                + " with GID index " + path.gid().index() + ": " + e.getMessage();
    }
}

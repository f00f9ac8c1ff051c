package io.tensorfabric.memory.cuda;

import java.util.concurrent.CompletableFuture;

/** A copy was waited for in vain: it may still touch both memories, until its end. */
public final class CopyNotEndedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient CompletableFuture<Void> end;

    CopyNotEndedException(String message, CompletableFuture<Void> end, Throwable cause) {
        super(message, cause);
        this.end = end;
    }

    /** Runs something once the copy has ended, whatever its outcome. */
    public void whenEnded(Runnable action) {
        CompletableFuture<Void> unused = end.whenComplete((nothing, failure) -> action.run());
    }
}

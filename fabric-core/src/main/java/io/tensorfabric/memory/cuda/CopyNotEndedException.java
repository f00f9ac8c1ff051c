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

    /** Gives memory back that a failed copy used: at once, or, where the copy may still touch it, after its end. */
    public static void giveBack(RuntimeException failure, Runnable release) {
        if (failure instanceof CopyNotEndedException copy) {
            copy.whenEnded(release);
        } else {
            release.run();
        }
    }

    /** Runs something once the copy has ended, whatever its outcome. */
    public void whenEnded(Runnable action) {
        CompletableFuture<Void> unused = end.whenComplete((nothing, failure) -> action.run());
    }
}

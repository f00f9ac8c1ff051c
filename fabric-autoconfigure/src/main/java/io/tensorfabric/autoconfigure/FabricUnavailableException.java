package io.tensorfabric.autoconfigure;

import org.jspecify.annotations.Nullable;

/** The fabric cannot start. Its message says why, its action what to do; a failure analyzer prints both at start-up. */
public class FabricUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * A failure to start.
     *
     * @param message why, in sentences
     * @param action what to do, in sentences
     * @param cause what went wrong underneath, if anything did
     */
    public FabricUnavailableException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** What to do, in sentences. */
    public String action() {
        return action;
    }
}

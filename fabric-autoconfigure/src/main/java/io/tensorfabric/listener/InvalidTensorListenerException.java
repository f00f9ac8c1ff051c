package io.tensorfabric.listener;

/** Something cannot be a listener, mostly a {@link io.tensorfabric.annotation.TensorListener} method. */
public class InvalidTensorListenerException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * A wrong listener.
     *
     * @param message which listener, with bean, method and parameter if it has them, and what is wrong
     * @param action what to do
     */
    public InvalidTensorListenerException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** What to do. */
    public String action() {
        return action;
    }
}

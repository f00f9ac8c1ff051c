package io.tensorfabric.verbs;

/**
 * An object of a device that is owned by the caller and must be closed. Closing twice is harmless; closing while
 * dependent objects are open fails with a {@link VerbsException} ({@link Errno#EBUSY}) that names them and leaves the
 * object open; any other use after close throws {@link IllegalStateException}.
 */
public interface VerbsResource extends AutoCloseable {

    /** Whether {@link #close()} has succeeded. */
    boolean isClosed();

    /**
     * Destroys the object.
     *
     * @throws VerbsException with {@link Errno#EBUSY} while dependent objects are open, else the provider's errno
     */
    @Override
    void close();
}

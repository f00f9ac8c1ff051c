package io.tensorfabric.connection;

/** A device cannot be used as configured. The message names device, port and GID index, and says what to change. */
public class FabricDeviceException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** A failure without a cause of its own. */
    public FabricDeviceException(String message) {
        super(message);
    }

    /** A failure with its cause. */
    public FabricDeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}

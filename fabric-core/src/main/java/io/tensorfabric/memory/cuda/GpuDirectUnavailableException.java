package io.tensorfabric.memory.cuda;

/** A direct path between GPU and verbs device is required, and there is none; the message says why for each way. */
public final class GpuDirectUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    GpuDirectUnavailableException(String message) {
        super(message);
    }
}

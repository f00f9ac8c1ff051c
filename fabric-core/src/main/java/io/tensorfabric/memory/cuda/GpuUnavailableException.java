package io.tensorfabric.memory.cuda;

/** GPU memory was asked for on a node that has none: the message says why, always the same for one process. */
public final class GpuUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    GpuUnavailableException(String message) {
        super(message);
    }
}

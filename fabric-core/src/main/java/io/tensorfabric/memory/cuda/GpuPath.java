package io.tensorfabric.memory.cuda;

/**
 * How data moves between a GPU and a verbs device.
 *
 * @param kind the way
 * @param reason why this one, in words
 */
public record GpuPath(Kind kind, String reason) {

    /** The ways. */
    public enum Kind {
        /** The verbs device reaches GPU memory by a dma-buf. */
        DMABUF,
        /** The verbs device reaches GPU memory by its address, through a peer-memory client. */
        PEERMEM,
        /** Data is copied through pinned host memory. */
        STAGING
    }

    /** Whether the verbs device reaches GPU memory itself. */
    public boolean isDirect() {
        return kind != Kind.STAGING;
    }
}

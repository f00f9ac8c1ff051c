package io.tensorfabric.memory.cuda;

/** How memory of a GPU may be registered with a verbs device. */
public enum GpuRegistration {
    /** The first that works of: dma-buf, peer memory, staging. */
    AUTO,
    /** As a dma-buf only. */
    DMABUF,
    /** By its address, with a peer-memory client of the kernel, only. */
    PEERMEM,
    /** Never: transfers are copied through pinned host memory. */
    STAGING
}

package io.tensorfabric.transfer;

/** How the bytes of a push came from the sender's memory to the receiver's. */
public enum TransferPath {
    /** There were none. */
    NONE,
    /** Between host memory of both ends. */
    HOST,
    /** From or to memory of a GPU, which the device reached itself. */
    GPU_DIRECT,
    /** From memory of a GPU to that of a GPU of another process on the same host, copied by the GPU. */
    CUDA_IPC,
    /** From or to memory of a GPU, copied through pinned host memory at one end at least. */
    HOST_STAGED;

    /** The path of a push of which the two ends are reached in these ways. */
    static TransferPath of(TransferPath source, TransferPath target) {
        return source.compareTo(target) > 0 ? source : target;
    }
}

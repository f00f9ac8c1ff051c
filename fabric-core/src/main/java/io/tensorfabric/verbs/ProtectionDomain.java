package io.tensorfabric.verbs;

import java.util.Set;

/** A protection domain: queue pairs of it reach only memory of it. See {@code ibv_alloc_pd(3)}. */
public interface ProtectionDomain extends VerbsResource {

    /** The context that this belongs to. */
    VerbsContext context();

    /**
     * Registers memory; see {@code ibv_reg_mr(3)}. The memory must stay allocated until the region is closed.
     *
     * @param address first byte
     * @param length bytes, at least 1
     * @param access rights; remote write and atomics need {@link AccessFlag#LOCAL_WRITE}
     * @throws VerbsException with {@link Errno#EINVAL} for a bad range or set of rights, {@link Errno#ENOMEM} when a
     *     limit is reached
     */
    MemoryRegion registerMemory(long address, long length, Set<AccessFlag> access);

    /**
     * Registers memory of another device by its dma-buf; see {@code ibv_reg_dmabuf_mr(3)}. The caller may close the file
     * descriptor afterwards and must keep the memory allocated until the region is closed.
     *
     * @param fileDescriptor the dma-buf
     * @param offset first byte within the dma-buf
     * @param length bytes, at least 1
     * @param address what work requests call the first byte; its offset within a page must be that of {@code offset}
     * @param access rights as for {@link #registerMemory}
     * @throws VerbsException with {@link Errno#EOPNOTSUPP} if the device or the provider has no dma-buf support
     */
    default MemoryRegion registerDmaBuf(
            int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        throw new VerbsException(
                "ibv_reg_dmabuf_mr", Errno.EOPNOTSUPP, "the device " + context().deviceName() + " takes no dma-buf");
    }

    /**
     * Registers memory of another device by its address, which needs a peer-memory client of the kernel such as
     * nvidia-peermem; see {@code ibv_reg_mr(3)}. The memory must stay allocated until the region is closed.
     *
     * @param address first byte, as the other device's driver calls it
     * @param length bytes, at least 1
     * @param access rights as for {@link #registerMemory}
     * @throws VerbsException with {@link Errno#EFAULT} if no client knows the memory
     */
    default MemoryRegion registerPeerMemory(long address, long length, Set<AccessFlag> access) {
        return registerMemory(address, length, access);
    }

    /** Allocates an unbound type-2 memory window; see {@code ibv_alloc_mw(3)}. */
    MemoryWindow allocateMemoryWindow();

    /** Creates a shared receive queue; see {@code ibv_create_srq(3)}. */
    SharedReceiveQueue createSharedReceiveQueue(int maxWorkRequests, int maxScatterGatherElements);

    /** Creates a queue pair in {@link QueuePairState#RESET}; see {@code ibv_create_qp(3)}. */
    QueuePair createQueuePair(QueuePairOptions options);
}

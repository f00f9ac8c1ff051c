package io.tensorfabric.memory.cuda;

/**
 * A GPU as the driver describes it.
 *
 * @param ordinal its number among the visible GPUs of this process
 * @param name the driver's name for it
 * @param uuid with the prefix {@code GPU-} or {@code MIG-}
 * @param pciAddress domain, bus, device and function in lower case, such as {@code 0000:81:00.0}
 * @param computeMajor major part of the compute capability
 * @param computeMinor minor part of the compute capability
 * @param totalMemory bytes
 * @param direct what it can do for other devices of the bus
 */
public record CudaDevice(
        int ordinal,
        String name,
        String uuid,
        String pciAddress,
        int computeMajor,
        int computeMinor,
        long totalMemory,
        DirectAttributes direct) {

    /**
     * Attributes of GPUDirect RDMA.
     *
     * @param rdma whether other devices may reach its memory at all
     * @param dmaBuf whether its memory can be exported as a dma-buf
     * @param virtualMemory whether memory of the virtual memory management can be reached
     * @param flushByHost whether the host can flush the writes of other devices
     * @param ordersWrites whether work of this GPU sees the writes of other devices without a flush
     */
    public record DirectAttributes(
            boolean rdma, boolean dmaBuf, boolean virtualMemory, boolean flushByHost, boolean ordersWrites) {}

    /** Compute capability, such as {@code 9.0}. */
    public String computeCapability() {
        return computeMajor + "." + computeMinor;
    }
}

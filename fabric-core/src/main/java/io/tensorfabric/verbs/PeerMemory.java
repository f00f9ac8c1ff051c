package io.tensorfabric.verbs;

/**
 * Lets a provider without a kernel reach memory of another device, as the kernel's peer-memory clients (nvidia-peermem)
 * let cards. Found by {@link java.util.ServiceLoader}; asked at each {@link ProtectionDomain#registerPeerMemory}.
 * Implementations are thread-safe.
 */
public interface PeerMemory {

    /**
     * Where this process can read and write a range of another device's memory, for as long as it is registered.
     *
     * @param address first byte, as its owner calls it
     * @param length bytes, at least 1
     * @return the first byte, or 0 if the memory is not of a device that this client knows
     * @throws VerbsException with {@link Errno#EFAULT} if it is, but cannot be reached
     */
    long locate(long address, long length);
}

package io.tensorfabric.verbs;

/**
 * Limits and identity of a device, the fields of {@code struct ibv_device_attr} that the fabric uses.
 *
 * @param firmwareVersion firmware or driver version, possibly empty
 * @param nodeGuid node GUID
 * @param portCount number of ports; ports count from 1
 * @param maxQueuePairs queue pairs that may exist at once
 * @param maxQueuePairWorkRequests outstanding work requests of one queue
 * @param maxScatterGatherElements elements of one work request
 * @param maxCompletionQueues completion queues that may exist at once
 * @param maxCompletionQueueEntries entries of one completion queue
 * @param maxMemoryRegions memory regions that may exist at once
 * @param maxMemoryRegionSize bytes of one memory region
 * @param maxMemoryWindows memory windows that may exist at once; 0 when there are none
 * @param memoryWindowType2 whether type-2 memory windows can be bound
 * @param maxProtectionDomains protection domains that may exist at once
 * @param maxSharedReceiveQueues shared receive queues that may exist at once
 * @param maxSharedReceiveQueueWorkRequests work requests of one shared receive queue
 * @param maxReadsAsInitiator outstanding READ and atomic operations that a queue pair may start
 * @param maxReadsAsTarget outstanding READ and atomic operations that a queue pair may serve
 * @param maxInlineData bytes of one inline send
 */
public record DeviceAttributes(
        String firmwareVersion,
        long nodeGuid,
        int portCount,
        int maxQueuePairs,
        int maxQueuePairWorkRequests,
        int maxScatterGatherElements,
        int maxCompletionQueues,
        int maxCompletionQueueEntries,
        int maxMemoryRegions,
        long maxMemoryRegionSize,
        int maxMemoryWindows,
        boolean memoryWindowType2,
        int maxProtectionDomains,
        int maxSharedReceiveQueues,
        int maxSharedReceiveQueueWorkRequests,
        int maxReadsAsInitiator,
        int maxReadsAsTarget,
        int maxInlineData) {}

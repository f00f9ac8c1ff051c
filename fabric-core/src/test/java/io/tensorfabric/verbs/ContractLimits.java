package io.tensorfabric.verbs;

/**
 * Limits for a device of {@link VerbsContractTest#openWithLimits}.
 *
 * @param queuePairs most queue pairs
 * @param completionQueues most completion queues
 * @param memoryRegions most memory regions
 * @param protectionDomains most protection domains
 */
public record ContractLimits(int queuePairs, int completionQueues, int memoryRegions, int protectionDomains) {}

package io.tensorfabric.connection;

/**
 * How much a sender may let wait at this node until a group of tensors is complete, beside what the shared landing zone holds.
 *
 * @param dedicatedBytes bytes of all dedicated zones that it may have at once
 * @param dedicatedZones how many
 */
public record GroupOffer(long dedicatedBytes, int dedicatedZones) {}

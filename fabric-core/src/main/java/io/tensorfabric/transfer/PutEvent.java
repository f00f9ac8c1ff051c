package io.tensorfabric.transfer;

/**
 * A peer has written into a published tensor. What is there may be written over at any time by any peer that may write.
 *
 * @param tensor name of the published tensor
 * @param peer name of the peer as configured here, else its node id
 * @param peerNodeId node id of the peer
 * @param transferId number of the put at the peer
 * @param offset of the first byte that was written
 * @param length bytes that were written
 */
public record PutEvent(String tensor, String peer, String peerNodeId, long transferId, long offset, long length) {}

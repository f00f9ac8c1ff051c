package io.tensorfabric.transfer;

import io.tensorfabric.memory.MemoryKind;

/**
 * Whether tensors of one GPU of this node reach the GPU of a peer by CUDA IPC.
 *
 * @param peer name of the peer
 * @param gpu the GPU of this node
 * @param state how far it is
 * @param reason why, in words
 */
public record CudaIpcStatus(String peer, MemoryKind gpu, State state, String reason) {

    /** How far the negotiation is. */
    public enum State {
        /** No tensor of this GPU was pushed to the peer yet, or what was open was given back unused. */
        UNTRIED,
        /** The peer is asked. */
        ASKING,
        /** The GPU copies to the peer's. */
        ON,
        /** Tensors take another path. */
        OFF
    }
}

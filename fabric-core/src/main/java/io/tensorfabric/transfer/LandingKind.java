package io.tensorfabric.transfer;

/**
 * The kind of memory in which the receiver's listener is to find a tensor. A wish: the receiver says when it connects which kinds
 * it has, and a push that wishes for another one fails with a {@link LandingUnavailableException} before a byte is sent.
 */
public enum LandingKind {

    /** Where the receiver likes, which its property {@code fabric.landing.memory} says. */
    ANY,

    /** Memory of the host. Tensors that land in memory of a GPU otherwise are copied on, or not copied there at first. */
    HOST,

    /**
     * Memory of a GPU: that which tensors land in otherwise, else the receiver's first GPU in use, to which they are copied from host
     * memory.
     */
    DEVICE
}

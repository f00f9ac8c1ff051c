package io.tensorfabric.listener;

/** Who says that a tensor is processed. */
public enum AckMode {
    /** The listener by returning: the tensor is closed then. */
    AUTO,
    /** The listener through an {@link io.tensorfabric.transfer.Acknowledgment}, which also closes the tensor. */
    MANUAL
}

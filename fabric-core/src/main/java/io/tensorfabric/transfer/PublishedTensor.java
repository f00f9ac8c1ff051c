package io.tensorfabric.transfer;

import io.tensorfabric.tensor.Tensor;
import java.util.Set;

/**
 * A tensor of this node that peers read, or write into, in place. Its memory is kept until {@link #close()} has returned,
 * even when the tensor is closed before. Nothing orders what peers and this node do to it at the same time. Thread-safe.
 */
public interface PublishedTensor extends AutoCloseable {

    /** The name under which peers know it. */
    String name();

    /** The tensor. */
    Tensor tensor();

    /** Who may do what. */
    PublishOptions options();

    /** Node ids of the peers that have access now: they asked for it, and their connection is up. */
    Set<String> peers();

    /** Whether peers can still get access. */
    boolean isOpen();

    /**
     * Ends access. Nobody gets access from now on; peers that have it get some seconds to end what they do, then their keys are
     * revoked in the device, which ends the connection of a peer that still uses one. When this returns, no peer can read or write the
     * memory any more. Blocks; further calls wait for the same end.
     *
     * @throws IllegalStateException if access cannot be revoked: the memory is kept then, and must not be used for
     *     anything else
     */
    @Override
    void close();
}

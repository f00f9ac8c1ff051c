package io.tensorfabric.transfer;

import io.tensorfabric.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Pushes tensors into the memory of peers. Thread-safe.
 *
 * <p>A push holds the tensor until the device no longer touches its memory, even when the caller closes it before or the
 * push failed already.
 */
public interface TensorTransferService {

    /** Pushes with {@link PushOptions#defaults()}. */
    default CompletableFuture<TransferReceipt> push(String peer, Tensor tensor) {
        return push(peer, tensor, PushOptions.defaults());
    }

    /**
     * Pushes a tensor to a peer, connecting first when needed.
     *
     * <p>The future ends within the deadline: with a receipt, or exceptionally with a {@link TransferException} that names
     * peer, tensor and cause. Cancelling it stops what was not yet handed to the device. Its callbacks run on a thread of
     * the fabric and must not block.
     *
     * @param peer name of a configured peer, or node id of a connected one
     */
    CompletableFuture<TransferReceipt> push(String peer, Tensor tensor, PushOptions options);

    /** Starts a push that is put together step by step, with {@link PushOptions#defaults()} to begin with. */
    default PushSpec to(String peer) {
        return new PushSpec(this, peer, null, PushOptions.defaults());
    }

    /** Transfers in flight and the latest ended ones, newest first. */
    List<TransferStatus> transfers();
}

package io.tensorfabric.transfer;

import io.tensorfabric.tensor.Tensor;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Pushes tensors into the memory of peers, and publishes tensors that peers read and write. Thread-safe.
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

    /**
     * Pushes several tensors to a peer of which its listeners hear together: of each when all have arrived, are checked and have
     * a listener, or of none. The whole group is at the peer then, so it must fit into what the peer lets this node fill:
     * its shared landing zone, and zones of their own for larger tensors.
     *
     * <p>The future ends with all receipts in the order of the tensors, or with the first failure, which cancels the others.
     * A failure that comes once the listeners have been told, such as one of a listener, does not take the others
     * back. Receipts say ACCEPTED at least. Cancelling the future cancels all.
     *
     * @param tensors at most {@link TensorGroup#MAX_SIZE}, under their own names
     */
    CompletableFuture<List<TransferReceipt>> pushAll(String peer, Collection<Tensor> tensors, PushOptions options);

    /** Starts a push that is put together step by step, with {@link PushOptions#defaults()} to begin with. */
    default PushSpec to(String peer) {
        return new PushSpec(this, peer, null, PushOptions.defaults());
    }

    /**
     * Publishes a tensor under its name: peers of the given options may read it, or write into it, in place, until the
     * returned object is closed. Its memory is kept until then.
     *
     * @throws InvalidTransferException if it does not lie in host memory, or one of that name is published already
     * @throws TransfersClosedException if this node is shutting down
     */
    PublishedTensor publish(Tensor tensor, PublishOptions options);

    /**
     * Reads a tensor that a peer published, or a part of it, into a local one in host memory.
     *
     * <p>The future ends as that of a push. When it failed or was cancelled, what is in the local tensor is undefined. What
     * somebody writes there meanwhile may be read half; with a checksum that is found out.
     *
     * @param into held until the device no longer touches its memory; its name does not matter
     */
    CompletableFuture<TransferReceipt> pull(String peer, String name, Tensor into, RegionOptions options);

    /** Reads all of a tensor that a peer published into one of its type and shape in host memory, which the caller closes. */
    CompletableFuture<Tensor> pull(String peer, String name, RegionOptions options);

    /**
     * Writes a tensor into one that a peer published, or into a part of it, in place; then the peer's listener hears of it.
     *
     * <p>The future ends as that of a push. A put that failed or was cancelled may have written a part. It is tried again
     * only as long as the peer cannot have heard of it, since nobody knows who wrote there after that.
     */
    CompletableFuture<TransferReceipt> put(String peer, String name, Tensor tensor, RegionOptions options);

    /** Starts a pull or put that is put together step by step, with {@link RegionOptions#defaults()} to begin with. */
    default RegionSpec at(String peer, String name) {
        return new RegionSpec(this, peer, name, RegionOptions.defaults());
    }

    /** What this node publishes now. */
    List<PublishedTensor> published();

    /** Transfers in flight and the latest ended ones, newest first. */
    List<TransferStatus> transfers();
}

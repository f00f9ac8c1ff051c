package io.tensorfabric.autoconfigure;

import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.InvalidTransferException;
import io.tensorfabric.transfer.PublishOptions;
import io.tensorfabric.transfer.PublishedTensor;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.RegionOptions;
import io.tensorfabric.transfer.ReservedNames;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferException;
import io.tensorfabric.transfer.TransferReceipt;
import io.tensorfabric.transfer.TransferStatus;
import io.tensorfabric.transfer.TransfersClosedException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The service that beans see: that of the running fabric. Thread-safe. */
final class LifecycleTransfers implements TensorTransferService {

    private final FabricLifecycle lifecycle;

    LifecycleTransfers(FabricLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public CompletableFuture<TransferReceipt> push(String peer, Tensor tensor, PushOptions options) {
        TransferException refusal = refusal(peer, tensor);
        FabricNode node = lifecycle.node();
        if (refusal != null) {
            return CompletableFuture.failedFuture(refusal);
        }
        return node != null
                ? node.transfers().push(peer, tensor, options)
                : CompletableFuture.failedFuture(notRunning(peer, tensor.name(), "pushed to peer '" + peer + "'"));
    }

    @Override
    public CompletableFuture<List<TransferReceipt>> pushAll(
            String peer, Collection<Tensor> tensors, PushOptions options) {
        for (Tensor tensor : tensors) {
            TransferException refusal = refusal(peer, tensor);
            if (refusal != null) {
                return CompletableFuture.failedFuture(refusal);
            }
        }
        FabricNode node = lifecycle.node();
        if (node != null) {
            return node.transfers().pushAll(peer, tensors, options);
        }
        String first = tensors.isEmpty() ? "" : tensors.iterator().next().name();
        return CompletableFuture.failedFuture(notRunning(peer, first, "pushed to peer '" + peer + "'"));
    }

    private static @Nullable TransferException refusal(String peer, Tensor tensor) {
        return ReservedNames.isReserved(tensor.name())
                ? new InvalidTransferException(
                        peer,
                        "Tensor '" + tensor.name() + "' cannot be pushed to peer '" + peer
                                + "': names that begin with " + ReservedNames.PREFLIGHT
                                + " are the fabric's own, and no listener sees them. Choose another name",
                        null)
                : null;
    }

    private static TransfersClosedException notRunning(String peer, String tensor, String what) {
        String message =
                "Tensor '" + tensor + "' cannot be " + what + ": the fabric of this application is not running";
        return new TransfersClosedException(peer, message, null);
    }

    @Override
    public PublishedTensor publish(Tensor tensor, PublishOptions options) {
        FabricNode node = lifecycle.node();
        if (node == null) {
            throw notRunning("", tensor.name(), "published");
        }
        return node.transfers().publish(tensor, options);
    }

    @Override
    public CompletableFuture<TransferReceipt> pull(String peer, String name, Tensor into, RegionOptions options) {
        FabricNode node = lifecycle.node();
        return node != null
                ? node.transfers().pull(peer, name, into, options)
                : CompletableFuture.failedFuture(notRunning(peer, name, "pulled from peer '" + peer + "'"));
    }

    @Override
    public CompletableFuture<Tensor> pull(String peer, String name, RegionOptions options) {
        FabricNode node = lifecycle.node();
        return node != null
                ? node.transfers().pull(peer, name, options)
                : CompletableFuture.failedFuture(notRunning(peer, name, "pulled from peer '" + peer + "'"));
    }

    @Override
    public CompletableFuture<TransferReceipt> put(String peer, String name, Tensor tensor, RegionOptions options) {
        FabricNode node = lifecycle.node();
        return node != null
                ? node.transfers().put(peer, name, tensor, options)
                : CompletableFuture.failedFuture(notRunning(peer, name, "put to peer '" + peer + "'"));
    }

    @Override
    public List<PublishedTensor> published() {
        FabricNode node = lifecycle.node();
        return node == null ? List.of() : node.transfers().published();
    }

    @Override
    public List<TransferStatus> transfers() {
        FabricNode node = lifecycle.node();
        return node == null ? List.of() : node.transfers().transfers();
    }
}

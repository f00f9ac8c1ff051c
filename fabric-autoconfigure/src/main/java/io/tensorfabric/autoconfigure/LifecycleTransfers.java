package io.tensorfabric.autoconfigure;

import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.InvalidTransferException;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.ReservedNames;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferReceipt;
import io.tensorfabric.transfer.TransferStatus;
import io.tensorfabric.transfer.TransfersClosedException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The service that beans see: that of the running fabric. Thread-safe. */
final class LifecycleTransfers implements TensorTransferService {

    private final FabricLifecycle lifecycle;

    LifecycleTransfers(FabricLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public CompletableFuture<TransferReceipt> push(String peer, Tensor tensor, PushOptions options) {
        FabricNode node = lifecycle.node();
        if (ReservedNames.isReserved(tensor.name())) {
            return CompletableFuture.failedFuture(new InvalidTransferException(
                    peer,
                    "Tensor '" + tensor.name() + "' cannot be pushed to peer '" + peer
                            + "': names that begin with " + ReservedNames.PREFLIGHT
                            + " are the fabric's own, and no listener sees them. Choose another name",
                    null));
        }
        if (node != null) {
            return node.transfers().push(peer, tensor, options);
        }
        return CompletableFuture.failedFuture(new TransfersClosedException(
                peer,
                "Tensor '" + tensor.name() + "' cannot be pushed to peer '" + peer
                        + "': the fabric of this application is not running",
                null));
    }

    @Override
    public List<TransferStatus> transfers() {
        FabricNode node = lifecycle.node();
        return node == null ? List.of() : node.transfers().transfers();
    }
}

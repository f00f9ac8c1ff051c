package io.tensorfabric.transfer;

import io.tensorfabric.memory.cuda.CudaWait;
import io.tensorfabric.tensor.Tensor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A pull from, or a put into, a tensor that a peer published, put together step by step: each step returns another spec, so
 * one may be kept and used again. Immutable.
 *
 * <pre>{@code
 * try (Tensor weights = transfers.at("trainer", "weights/0").checksum().pullAndWait()) { ... }
 * }</pre>
 */
public final class RegionSpec {

    private final TensorTransferService transfers;

    private final String peer;

    private final String name;

    private final RegionOptions options;

    RegionSpec(TensorTransferService transfers, String peer, String name, RegionOptions options) {
        this.transfers = transfers;
        this.peer = peer;
        this.name = name;
        this.options = options;
    }

    private RegionSpec with(RegionOptions changed) {
        return new RegionSpec(transfers, peer, name, changed);
    }

    /** From a byte of the published tensor on, as many bytes as the local tensor has; see {@link RegionOptions#offset()}. */
    public RegionSpec from(long offset) {
        return with(options.withOffset(offset));
    }

    /** With the longest time until it ends. */
    public RegionSpec deadline(Duration value) {
        return with(options.withDeadline(value));
    }

    /** With a CRC32C by which both ends compare the bytes. */
    public RegionSpec checksum() {
        return with(options.withChecksum(true));
    }

    /** With what a put waits for. */
    public RegionSpec receipt(ReceiptLevel value) {
        return with(options.withReceipt(value));
    }

    /** A put after work of the GPU whose memory the tensor lies in; see {@link PushOptions#withAfter}. */
    public RegionSpec after(CudaWait value) {
        return with(options.withAfter(value));
    }

    /** With another priority than by size; see {@link TransferPriority}. */
    public RegionSpec priority(TransferPriority value) {
        return with(options.withPriority(value));
    }

    /** With a listener that learns how far it is. */
    public RegionSpec onProgress(PushProgress listener) {
        return with(options.withProgress(listener));
    }

    /** What was put together so far. */
    public RegionOptions options() {
        return options;
    }

    /** Reads into a tensor; see {@link TensorTransferService#pull(String, String, Tensor, RegionOptions)}. */
    public CompletableFuture<TransferReceipt> pull(Tensor into) {
        return transfers.pull(peer, name, into, options);
    }

    /**
     * Reads into a tensor and waits for the end, which the deadline bounds. Not for threads of the fabric.
     *
     * @throws TransferException if it failed; of kind {@code CANCELLED} if the thread was interrupted, which stays marked so
     */
    public TransferReceipt pullAndWait(Tensor into) {
        return Waiting.await(pull(into), peer, "Pull of published tensor '" + name + "'");
    }

    /** Reads all of it into a tensor of its type and shape; see {@link TensorTransferService#pull(String, String, RegionOptions)}. */
    public CompletableFuture<Tensor> pull() {
        return transfers.pull(peer, name, options);
    }

    /**
     * Reads all of it into a tensor of its type and shape, which the caller closes, and waits for the end.
     *
     * @throws TransferException as {@link #pullAndWait(Tensor)}
     */
    public Tensor pullAndWait() {
        return Waiting.await(pull(), peer, "Pull of published tensor '" + name + "'");
    }

    /** Writes a tensor there; see {@link TensorTransferService#put(String, String, Tensor, RegionOptions)}. */
    public CompletableFuture<TransferReceipt> put(Tensor tensor) {
        return transfers.put(peer, name, tensor, options);
    }

    /**
     * Writes a tensor there and waits for the end.
     *
     * @throws TransferException as {@link #pullAndWait(Tensor)}
     */
    public TransferReceipt putAndWait(Tensor tensor) {
        return Waiting.await(put(tensor), peer, "Put into published tensor '" + name + "'");
    }
}

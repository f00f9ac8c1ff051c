package io.tensorfabric.transfer;

import io.tensorfabric.memory.cuda.CudaWait;
import io.tensorfabric.tensor.Tensor;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A push to a peer, put together step by step: each step returns another spec, so one may be kept and used again. Immutable.
 *
 * <pre>{@code
 * transfers.to("ranker").header("step", "7").deadline(Duration.ofSeconds(2)).checksum().push(tensor);
 * }</pre>
 */
public final class PushSpec {

    private final TensorTransferService transfers;

    private final String peer;

    private final @Nullable String name;

    private final PushOptions options;

    PushSpec(TensorTransferService transfers, String peer, @Nullable String name, PushOptions options) {
        this.transfers = transfers;
        this.peer = peer;
        this.name = name;
        this.options = options;
    }

    private PushSpec with(PushOptions changed) {
        return new PushSpec(transfers, peer, name, changed);
    }

    /** With the name under which the peer gets the tensor, in place of its own. */
    public PushSpec name(String value) {
        return new PushSpec(transfers, peer, value, options);
    }

    /** With a header more, in place of one of the same key. */
    public PushSpec header(String key, String value) {
        Map<String, String> headers = new LinkedHashMap<>(options.headers());
        headers.put(key, value);
        return with(options.withHeaders(headers));
    }

    /** With headers more, in place of those of the same keys. */
    public PushSpec headers(Map<String, String> more) {
        Map<String, String> headers = new LinkedHashMap<>(options.headers());
        headers.putAll(more);
        return with(options.withHeaders(headers));
    }

    /** With the longest time until the push ends. */
    public PushSpec deadline(Duration value) {
        return with(options.withDeadline(value));
    }

    /** With a CRC32C that the receiver checks. */
    public PushSpec checksum() {
        return with(options.withChecksum(true));
    }

    /** With what the push waits for. */
    public PushSpec receipt(ReceiptLevel value) {
        return with(options.withReceipt(value));
    }

    /** After work of the GPU whose memory the tensor lies in; see {@link PushOptions#withAfter}. */
    public PushSpec after(CudaWait value) {
        return with(options.withAfter(value));
    }

    /** With another priority than by size; see {@link TransferPriority}. */
    public PushSpec priority(TransferPriority value) {
        return with(options.withPriority(value));
    }

    /** With the kind of memory that the tensor is to land in, or the push fails; see {@link LandingKind}. */
    public PushSpec landing(LandingKind value) {
        return with(options.withLanding(value));
    }

    /** With a listener that learns how far the push is. */
    public PushSpec onProgress(PushProgress listener) {
        return with(options.withProgress(listener));
    }

    /** What was put together so far. */
    public PushOptions options() {
        return options;
    }

    /** Pushes a tensor; see {@link TensorTransferService#push(String, Tensor, PushOptions)}. */
    public CompletableFuture<TransferReceipt> push(Tensor tensor) {
        String other = name;
        if (other == null) {
            return transfers.push(peer, tensor, options);
        }
        // The push holds the tensor for as long as it needs it.
        try (Tensor renamed = tensor.withName(other)) {
            return transfers.push(peer, renamed, options);
        }
    }

    /**
     * Pushes a tensor and waits for the end, which the deadline bounds. Not for threads of the fabric.
     *
     * @throws TransferException if the push failed; of kind {@code CANCELLED} if the thread was interrupted, which stays
     *     marked so
     */
    public TransferReceipt pushAndWait(Tensor tensor) {
        return Waiting.await(push(tensor), peer, "Push of tensor '" + (name != null ? name : tensor.name()) + "'");
    }

    /**
     * Pushes several tensors of which the peer's listeners hear together, or of none; see
     * {@link TensorTransferService#pushAll(String, Collection, PushOptions)}.
     *
     * @throws IllegalStateException if this spec has a name
     */
    public CompletableFuture<List<TransferReceipt>> pushAll(Collection<Tensor> tensors) {
        if (name != null) {
            throw new IllegalStateException("A name is for one tensor; push several under their own names");
        }
        return transfers.pushAll(peer, tensors, options);
    }

    /**
     * Pushes several tensors as one and waits for the end.
     *
     * @throws TransferException as {@link #pushAndWait} and {@link #pushAll}
     */
    public List<TransferReceipt> pushAllAndWait(Collection<Tensor> tensors) {
        return Waiting.await(pushAll(tensors), peer, "Push of " + tensors.size() + " tensors");
    }
}

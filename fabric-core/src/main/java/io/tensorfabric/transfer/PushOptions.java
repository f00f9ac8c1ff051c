package io.tensorfabric.transfer;

import io.tensorfabric.memory.cuda.CudaWait;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How to push. Immutable.
 *
 * @param deadline longest time until the future ends; {@code null} for the service's default
 * @param receipt when the future completes
 * @param checksum whether a CRC32C goes along and is checked by the receiver
 * @param headers small strings for the listener, together at most 2 KiB
 * @param progress learns how far the push is; {@code null} for nobody
 * @param after work of the GPU to wait for; {@code null} for its legacy default stream; of no effect for host memory
 * @param priority what goes first of what waits at this node for the same peer
 * @param landing in which kind of memory the peer's listener is to find the tensor
 */
public record PushOptions(
        @Nullable Duration deadline,
        ReceiptLevel receipt,
        boolean checksum,
        Map<String, String> headers,
        @Nullable PushProgress progress,
        @Nullable CudaWait after,
        TransferPriority priority,
        LandingKind landing) {

    private static final PushOptions DEFAULTS = new PushOptions(
            null, ReceiptLevel.ACCEPTED, false, Map.of(), null, null, TransferPriority.NORMAL, LandingKind.ANY);

    public PushOptions {
        if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
            throw new IllegalArgumentException("A deadline must be positive, not " + deadline);
        }
        Objects.requireNonNull(receipt, "receipt");
        Objects.requireNonNull(priority, "priority");
        Objects.requireNonNull(landing, "landing");
        headers = Map.copyOf(headers);
    }

    /**
     * The service's deadline, {@link ReceiptLevel#ACCEPTED}, no checksum, no headers, {@link TransferPriority#NORMAL},
     * {@link LandingKind#ANY}.
     */
    public static PushOptions defaults() {
        return DEFAULTS;
    }

    /** The same with a deadline. */
    public PushOptions withDeadline(Duration value) {
        return new PushOptions(value, receipt, checksum, headers, progress, after, priority, landing);
    }

    /** The same with a receipt level. */
    public PushOptions withReceipt(ReceiptLevel value) {
        return new PushOptions(deadline, value, checksum, headers, progress, after, priority, landing);
    }

    /** The same with or without a checksum. */
    public PushOptions withChecksum(boolean value) {
        return new PushOptions(deadline, receipt, value, headers, progress, after, priority, landing);
    }

    /** The same with headers. */
    public PushOptions withHeaders(Map<String, String> value) {
        return new PushOptions(deadline, receipt, checksum, value, progress, after, priority, landing);
    }

    /** The same with a listener that learns how far the push is. */
    public PushOptions withProgress(PushProgress value) {
        return new PushOptions(deadline, receipt, checksum, headers, value, after, priority, landing);
    }

    /**
     * The same for a tensor in GPU memory whose bytes come from work that was given to the GPU before the push: they are
     * read when that work is done. Without it, see {@link CudaWait}.
     */
    public PushOptions withAfter(CudaWait value) {
        return new PushOptions(deadline, receipt, checksum, headers, progress, value, priority, landing);
    }

    /** The same with a priority. */
    public PushOptions withPriority(TransferPriority value) {
        return new PushOptions(deadline, receipt, checksum, headers, progress, after, value, landing);
    }

    /** The same with the kind of memory that the tensor is to land in. */
    public PushOptions withLanding(LandingKind value) {
        return new PushOptions(deadline, receipt, checksum, headers, progress, after, priority, value);
    }
}

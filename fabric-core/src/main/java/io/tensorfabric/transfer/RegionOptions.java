package io.tensorfabric.transfer;

import io.tensorfabric.memory.cuda.CudaWait;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How to pull from, or put into, a published tensor. Immutable.
 *
 * @param deadline longest time until the future ends; {@code null} for the service's default
 * @param offset first byte in the published tensor, of which as many are read or written as the local tensor has; then only
 *     the types must be equal. {@code null} for all of it: then type and shape must be
 * @param receipt when the future of a put completes; a pull has no receipt but its bytes
 * @param checksum whether a CRC32C is compared: of a pull with what its owner has then, of a put by its owner
 * @param progress learns how far it is; {@code null} for nobody
 * @param after work of the GPU to wait for before a put; {@code null} for its legacy default stream
 * @param priority what goes first of what waits at this node for the same peer
 */
public record RegionOptions(
        @Nullable Duration deadline,
        @Nullable Long offset,
        ReceiptLevel receipt,
        boolean checksum,
        @Nullable PushProgress progress,
        @Nullable CudaWait after,
        TransferPriority priority) {

    private static final RegionOptions DEFAULTS =
            new RegionOptions(null, null, ReceiptLevel.ACCEPTED, false, null, null, TransferPriority.NORMAL);

    /** Validates. */
    public RegionOptions {
        if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
            throw new IllegalArgumentException("A deadline must be positive, not " + deadline);
        }
        Objects.requireNonNull(receipt, "receipt");
        Objects.requireNonNull(priority, "priority");
        if (offset != null && offset < 0) {
            throw new IllegalArgumentException("An offset is not negative, as " + offset);
        }
    }

    /** The service's deadline, the whole tensor, {@link ReceiptLevel#ACCEPTED}, no checksum, {@link TransferPriority#NORMAL}. */
    public static RegionOptions defaults() {
        return DEFAULTS;
    }

    /** The same with a deadline. */
    public RegionOptions withDeadline(Duration value) {
        return new RegionOptions(value, offset, receipt, checksum, progress, after, priority);
    }

    /** The same from a byte on. */
    public RegionOptions withOffset(long value) {
        return new RegionOptions(deadline, value, receipt, checksum, progress, after, priority);
    }

    /** The same with a receipt level. */
    public RegionOptions withReceipt(ReceiptLevel value) {
        return new RegionOptions(deadline, offset, value, checksum, progress, after, priority);
    }

    /** The same with or without a checksum. */
    public RegionOptions withChecksum(boolean value) {
        return new RegionOptions(deadline, offset, receipt, value, progress, after, priority);
    }

    /** The same with a listener that learns how far it is. */
    public RegionOptions withProgress(PushProgress value) {
        return new RegionOptions(deadline, offset, receipt, checksum, value, after, priority);
    }

    /** The same for a put of GPU memory; see {@link PushOptions#withAfter}. */
    public RegionOptions withAfter(CudaWait value) {
        return new RegionOptions(deadline, offset, receipt, checksum, progress, value, priority);
    }

    /** The same with a priority. */
    public RegionOptions withPriority(TransferPriority value) {
        return new RegionOptions(deadline, offset, receipt, checksum, progress, after, value);
    }

    /** As the machinery of pushes takes them. */
    PushOptions toPush(boolean pull) {
        ReceiptLevel wanted = pull ? ReceiptLevel.PLACED : receipt;
        return new PushOptions(
                deadline, wanted, checksum, Map.of(), progress, pull ? null : after, priority, LandingKind.ANY);
    }
}

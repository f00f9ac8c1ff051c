package io.tensorfabric.transfer;

import io.tensorfabric.tensor.Tensor;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tensor that arrived: a view of the landing zone, without a copy. Its room goes back to the sender when it is closed,
 * so close it soon or copy it; closing twice is harmless.
 */
public interface ReceivedTensor extends AutoCloseable {

    /** Number of the transfer at the sender. */
    long transferId();

    /** Name of the sender as configured here, else its node id. */
    String peer();

    /** Node id of the sender. */
    String peerNodeId();

    /** The tensor; not usable after {@link #close()}. */
    Tensor tensor();

    /** Headers of the sender. */
    Map<String, String> headers();

    /**
     * With which others of the sender it came: their listeners hear of all of them or of none, in no promised order.
     *
     * @return {@code null} if it was pushed alone
     */
    default @Nullable TensorGroup group() {
        return null;
    }

    /** When its header arrived. */
    Instant arrived();

    /**
     * Whether it lies in a zone of its own, so that keeping it open does not take room from other transfers of the peer.
     */
    boolean dedicatedZone();

    /**
     * Puts the answer of the listener off: a sender that waits for PROCESSED hears it when the returned acknowledgment is
     * ended, not when {@link TensorReceiver#receive} returns. Until then the transfer counts as under way, so an orderly end
     * of this node waits for it. Call it within {@link TensorReceiver#receive}; if that throws all the same, the tensor is
     * closed and the failure is the answer. Ending the acknowledgment does not close the tensor, unless it fails.
     *
     * @throws IllegalStateException if it was called before
     */
    Acknowledgment defer();

    @Override
    void close();
}

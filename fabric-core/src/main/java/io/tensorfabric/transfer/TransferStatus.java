package io.tensorfabric.transfer;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A transfer as seen by people.
 *
 * @param transferId number of the transfer at its sender
 * @param direction whether this node sends or receives it
 * @param peer name of the other node
 * @param tensor name of the tensor
 * @param bytes payload bytes
 * @param placedBytes payload bytes that the device has finished so far
 * @param state state
 * @param started when it began
 * @param ended when it ended, or {@code null}
 * @param error why it failed, or {@code null}
 * @param path how the bytes went, as far as this node knows; {@code null} before that is known
 */
public record TransferStatus(
        long transferId,
        Direction direction,
        String peer,
        String tensor,
        long bytes,
        long placedBytes,
        State state,
        Instant started,
        @Nullable Instant ended,
        @Nullable String error,
        @Nullable TransferPath path) {

    /** Direction of a transfer. */
    public enum Direction {
        /** A push of this node. */
        OUT,
        /** A tensor that a peer pushed, or put into one that this node published. */
        IN,
        /** This node wrote into a tensor that the peer published. */
        PUT,
        /** This node read a tensor that the peer published. */
        PULL
    }

    /** State of a transfer. */
    public enum State {
        /** Waits for a connection, for room in the landing zone or for a lane. */
        QUEUED,
        /** Its payload is on its way. */
        WRITING,
        /** Its header is out, and its receipt not yet there. */
        WAITING,
        DONE,
        FAILED,
        CANCELLED
    }
}

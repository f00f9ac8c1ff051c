package io.tensorfabric.connection;

import org.jspecify.annotations.Nullable;

/** One queue pair of a connection. Thread-safe. */
public interface Lane {

    /** The connection that this belongs to. */
    Connection connection();

    /** Position in the connection, the same at both ends; 0 is the control lane. */
    int index();

    /** What it is for. */
    LanePurpose purpose();

    /**
     * Starts a transmission and holds the lane for the calling thread until {@link Transmission#submit} or
     * {@link Transmission#cancel}, which must follow soon. Allocates nothing.
     *
     * @param requests work requests that will be added at most, the message included; what is not used is given back
     * @param withMessage whether one of them is a message or a write with immediate, which needs a credit of the peer; there
     *     can be one of the two in a transmission
     * @return the transmission, or {@code null} when there is no room, credit or connection now;
     *     {@link ConnectionHandler#ready} is called once when it is worth trying again
     * @throws IllegalArgumentException if the lane can never have room for so many requests: more than its depth, or than
     *     half the completion queue
     * @throws IllegalStateException if this thread has a transmission of this lane open
     */
    @Nullable Transmission begin(int requests, boolean withMessage);
}

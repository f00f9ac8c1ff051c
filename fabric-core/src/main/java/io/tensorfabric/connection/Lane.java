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
     * @param requests work requests that will be added, the message included
     * @param withMessage whether one of them is a message, which needs a credit of the peer
     * @return the transmission, or {@code null} when there is no room, credit or connection now;
     *     {@link ConnectionHandler#ready} is called once when it is worth trying again
     */
    @Nullable Transmission begin(int requests, boolean withMessage);
}

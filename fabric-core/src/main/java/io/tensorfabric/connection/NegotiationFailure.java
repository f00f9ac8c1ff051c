package io.tensorfabric.connection;

import io.tensorfabric.verbs.Errno;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A negotiation that failed, for people. Its queue pairs are gone.
 *
 * @param time when
 * @param peer name or node id of the peer
 * @param connectionId id of the connection, or {@code null} when none was drawn yet
 * @param step what failed, such as {@code INIT -> RTR of lane 0}
 * @param errno error of the device, or {@code null} when another thing failed
 * @param device name of the device
 * @param port port of the device
 * @param gidIndex index of the GID that was used
 * @param message the whole story
 */
public record NegotiationFailure(
        Instant time,
        String peer,
        @Nullable String connectionId,
        String step,
        @Nullable Errno errno,
        String device,
        int port,
        int gidIndex,
        String message) {}

package io.tensorfabric.connection;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a published tensor is, and what the peer may do with it through the zone that this goes with.
 *
 * @param dataType name of the type of its elements
 * @param shape its extents, outermost first
 * @param readable whether the keys let the peer read
 * @param writable whether the keys let the peer write
 * @param checksum CRC32C of the part that was asked for, {@code null} if none was
 */
public record RegionGrant(
        String dataType,
        List<Long> shape,
        boolean readable,
        boolean writable,
        @Nullable Integer checksum) {

    /** Copies the list. */
    public RegionGrant {
        shape = List.copyOf(shape);
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.RegionGrant;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.TensorDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * A published tensor of the peer that this node has access to. Never printed with address or keys.
 *
 * @param name its name
 * @param zone where it is
 * @param descriptor what it is
 * @param readable whether this node may read it
 * @param writable whether this node may write it
 */
record PeerRegion(String name, PeerZone zone, TensorDescriptor descriptor, boolean readable, boolean writable) {

    /**
     * Checks what the peer says of it.
     *
     * @throws ConnectionException if that makes no sense
     */
    static PeerRegion of(String peer, String name, ZoneGrant grant) {
        RegionGrant region = grant.region();
        if (region == null) {
            throw malformed(peer, name, "it says nothing of it", null);
        }
        try {
            DataType type = DataType.fromName(region.dataType())
                    .orElseThrow(() -> malformed(peer, name, "it has a type that is unknown here", null));
            long[] extents = region.shape().stream().mapToLong(Long::longValue).toArray();
            TensorDescriptor descriptor = new TensorDescriptor(name, type, Shape.of(extents));
            if (descriptor.byteLength() != grant.size()) {
                throw malformed(peer, name, "its size is not that of its type and shape", null);
            }
            return new PeerRegion(name, new PeerZone(grant), descriptor, region.readable(), region.writable());
        } catch (IllegalArgumentException e) {
            throw malformed(peer, name, String.valueOf(e.getMessage()), e);
        }
    }

    private static ConnectionException malformed(
            String peer, String name, String why, @Nullable RuntimeException cause) {
        return new ConnectionException(
                ConnectionException.Kind.MALFORMED,
                peer,
                "What peer '" + peer + "' says of its tensor '" + name + "' makes no sense: " + why,
                null,
                cause);
    }

    @Override
    public String toString() {
        return "PeerRegion[" + descriptor + "]";
    }
}

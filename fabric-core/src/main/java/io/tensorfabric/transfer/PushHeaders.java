package io.tensorfabric.transfer;

import io.tensorfabric.connection.Transmission;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Writes the messages that end pushes and puts on a lane. */
final class PushHeaders {

    private PushHeaders() {}

    /** @param zone of the room, {@code null} for an empty tensor */
    static void tensor(Transmission transmission, Push push, @Nullable PeerZone zone, LandingKind asked) {
        ByteBuffer body = transmission.message(TransferMessages.TENSOR);
        int start = body.position();
        TensorMessage.write(
                body,
                push.id(),
                push.attempt(),
                push.options(),
                asked,
                push.checksum,
                zone == null ? 0 : zone.id(),
                push.offset,
                push.tensor().descriptor());
        OutboundGroup group = push.together();
        if (group != null) {
            TensorMessage.addGroup(body, start, group.what());
        }
    }

    /** @param zone of the published tensor */
    static void put(Transmission transmission, Push push, PeerZone zone) {
        PutMessage.write(
                transmission.message(TransferMessages.PUT),
                push.id(),
                push.attempt(),
                push.options(),
                push.checksum,
                zone.id(),
                push.offset,
                push.bytes());
    }
}

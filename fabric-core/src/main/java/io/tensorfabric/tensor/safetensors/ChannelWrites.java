package io.tensorfabric.tensor.safetensors;

import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.WritableByteChannel;

/** Writing that does not stop half-way. */
final class ChannelWrites {

    /** What a channel is given at once: enough to amortise the call, little enough to be interruptible. */
    private static final int CHUNK = 16 << 20;

    private ChannelWrites() {}

    static void writeFully(WritableByteChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                throw new IllegalBlockingModeException();
            }
        }
    }

    static void writeFully(WritableByteChannel channel, long address, long bytes) throws IOException {
        for (long done = 0; done < bytes; done += CHUNK) {
            writeFully(channel, OffHeap.asByteBuffer(address + done, (int) Math.min(CHUNK, bytes - done)));
        }
    }
}

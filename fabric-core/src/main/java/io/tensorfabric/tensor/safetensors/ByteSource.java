package io.tensorfabric.tensor.safetensors;

import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ReadableByteChannel;

/** Bytes in order into native memory, from a stream or a channel. */
interface ByteSource {

    /** Most bytes that are asked for at once. */
    int CHUNK = 1 << 20;

    /** The same bytes for the header; never reads ahead. */
    InputStream stream();

    /** Reads at least one and at most {@code bytes} bytes; -1 at the end. */
    int read(long address, long bytes) throws IOException;

    static ByteSource of(InputStream in) {
        // Servlet and TLS streams hand out 8 to 16 KiB at a time; more room than that is not used.
        byte[] buffer = new byte[64 << 10];
        return new ByteSource() {
            @Override
            public InputStream stream() {
                return in;
            }

            @Override
            public int read(long address, long bytes) throws IOException {
                int count = in.read(buffer, 0, (int) Math.min(buffer.length, bytes));
                if (count > 0) {
                    OffHeap.copyFromArray(buffer, 0, address, count);
                }
                return count;
            }
        };
    }

    static ByteSource of(ReadableByteChannel channel) {
        InputStream stream = Channels.newInputStream(channel);
        return new ByteSource() {
            @Override
            public InputStream stream() {
                return stream;
            }

            @Override
            public int read(long address, long bytes) throws IOException {
                ByteBuffer target = OffHeap.asByteBuffer(address, (int) Math.min(CHUNK, bytes));
                int count = channel.read(target);
                if (count == 0) {
                    throw new IllegalBlockingModeException();
                }
                return count;
            }
        };
    }
}

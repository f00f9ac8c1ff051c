package io.tensorfabric.tensor.safetensors;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Makes files that look like a model, for demonstrations, tests and measurements: layers of BF16, quantized I8 with F16
 * scales, F8, BOOL masks, rank-0 counters, an empty tensor. Equal size and seed give equal bytes on every machine. The
 * values are noise of full range, so infinities and NaN are among them. Streams, and needs 1 MiB of memory.
 */
public final class SafetensorsGenerator {

    private static final int CHUNK = 1 << 20;
    private static final int CHUNK_ALIGNMENT = 4096;

    private SafetensorsGenerator() {}

    /**
     * Writes a file of an exact size, in place of one that exists.
     *
     * @param file to write; not synchronised to disk
     * @param totalBytes size of the whole file, at least 8 KiB
     * @param seed of the values
     * @return what was written
     * @throws IllegalArgumentException if the size is too small
     * @throws IOException if writing fails
     */
    public static SafetensorsLayout generate(Path file, long totalBytes, long seed) throws IOException {
        SafetensorsLayout layout = GeneratedModel.layout(totalBytes, seed);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ChannelWrites.writeFully(channel, ByteBuffer.wrap(layout.headerBytes()));
            long chunk = OffHeap.allocate(CHUNK, CHUNK_ALIGNMENT);
            try {
                for (SafetensorsEntry entry : layout.header().entries()) {
                    writeNoise(channel, entry, seed, OffHeap.asByteBuffer(chunk, CHUNK));
                }
            } finally {
                OffHeap.free(chunk);
            }
        }
        return layout;
    }

    private static void writeNoise(FileChannel channel, SafetensorsEntry entry, long seed, ByteBuffer chunk)
            throws IOException {
        chunk.order(ByteOrder.LITTLE_ENDIAN);
        boolean truth = entry.descriptor().dataType() == DataType.BOOL;
        long state = mix(seed ^ entry.begin());
        for (long done = 0; done < entry.byteLength(); done += CHUNK) {
            int length = (int) Math.min(CHUNK, entry.byteLength() - done);
            state = fill(chunk.clear(), length, state, truth ? 0x0101010101010101L : -1L);
            ChannelWrites.writeFully(channel, chunk.limit(length));
        }
    }

    /** SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
    private static long fill(ByteBuffer chunk, int length, long start, long mask) {
        long state = start;
        for (int i = 0; i < length; i += Long.BYTES) {
            state += 0x9e3779b97f4a7c15L;
            chunk.putLong(i, mix(state) & mask);
        }
        return state;
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}

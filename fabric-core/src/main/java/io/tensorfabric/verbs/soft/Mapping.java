package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.PeerMemory;
import io.tensorfabric.verbs.VerbsException;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Where the software device finds memory of another device: a dma-buf that is mapped into this process, or what a client
 * of peer memory says. Thread-safe.
 */
final class Mapping implements AutoCloseable {

    /** Pieces begin this far apart. */
    private static final long STRIDE = 1L << 30;

    /** A piece reaches into the next one, so that a range of {@link #STRIDE} bytes lies in one wherever it begins. */
    private static final long PIECE = Integer.MAX_VALUE - 8L;

    private static final List<PeerMemory> CLIENTS =
            ServiceLoader.load(PeerMemory.class, PeerMemory.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private final long[] starts;

    private final List<MappedByteBuffer> buffers;

    private Mapping(long[] starts, List<MappedByteBuffer> buffers) {
        this.starts = starts;
        this.buffers = buffers;
    }

    /** The byte at an offset, and all of one piece of work after it. */
    long locate(long offset) {
        return starts.length == 1 ? starts[0] + offset : starts[(int) (offset / STRIDE)] + offset % STRIDE;
    }

    static Mapping ofPeerMemory(long address, long length, String device) {
        for (PeerMemory client : CLIENTS) {
            long start = client.locate(address, length);
            if (start != 0) {
                return new Mapping(new long[] {start}, List.of());
            }
        }
        throw new VerbsException(
                "ibv_reg_mr",
                Errno.EFAULT,
                "no peer-memory client makes this memory of " + length + " bytes reachable for " + device);
    }

    static Mapping ofDmaBuf(int fileDescriptor, long offset, long length, String device) {
        List<MappedByteBuffer> buffers = new ArrayList<>();
        long page = OffHeap.pageSize();
        long lead = offset % page;
        Path file = Path.of("/proc/self/fd/" + fileDescriptor);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() - offset < length) {
                throw new VerbsException(
                        "ibv_reg_dmabuf_mr",
                        Errno.EINVAL,
                        "the dma-buf ends before the " + length + " bytes that were asked for");
            }
            long end = lead + length;
            for (long at = 0; at == 0 || at < end; at += STRIDE) {
                buffers.add(channel.map(MapMode.READ_WRITE, offset - lead + at, Math.min(PIECE, end - at)));
            }
        } catch (IOException e) {
            buffers.forEach(OffHeap::unmap);
            VerbsException refusal = new VerbsException(
                    "ibv_reg_dmabuf_mr",
                    Errno.EOPNOTSUPP,
                    "the device " + device + " cannot map a dma-buf of this exporter: " + e.getMessage());
            refusal.initCause(e);
            throw refusal;
        }
        long[] starts = buffers.stream()
                .mapToLong(OffHeap::addressOf)
                .map(start -> start + lead)
                .toArray();
        return new Mapping(starts, buffers);
    }

    @Override
    public void close() {
        buffers.forEach(OffHeap::unmap);
    }
}

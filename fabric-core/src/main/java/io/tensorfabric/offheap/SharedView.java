package io.tensorfabric.offheap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The bytes of another process's {@link SharedBlock}, mostly to read. They stay readable after that process has freed them or has
 * ended. If it makes the file shorter, which it does not do by itself, reading fails with an {@link InternalError}.
 *
 * <p>Thread-safe, but that nothing may read after {@link #close()}.
 */
public final class SharedView implements AutoCloseable {

    /** A file without a name, as {@code readlink} shows it; proc(5), {@code /proc/pid/fd}. */
    private static final Pattern NAMELESS = Pattern.compile(
            Pattern.quote(SharedBlock.FOLDER + "/" + SharedBlock.PREFIX) + "[0-9a-f]{32} \\(deleted\\)");

    private final MappedByteBuffer mapped;

    private final long address;

    private SharedView(MappedByteBuffer mapped) {
        this.mapped = mapped;
        this.address = OffHeap.addressOf(mapped);
    }

    /**
     * Maps a block.
     *
     * @param process id of the process that has it
     * @param descriptor number of its file there
     * @param bytes how many to map
     * @param token what lies behind them
     * @throws IOException if there is no such block, for this process at least; nothing of another file is read
     */
    public static SharedView open(long process, int descriptor, long bytes, byte[] token) throws IOException {
        return open(process, descriptor, bytes, token, Set.of(StandardOpenOption.READ), MapMode.READ_ONLY);
    }

    /**
     * Maps a block that both processes write.
     *
     * @param process id of the process that has it
     * @param descriptor number of its file there
     * @param bytes how many to map
     * @param token what lies behind them
     * @throws IOException if there is no such block, for this process at least; nothing of another file is read or written
     */
    public static SharedView openToWrite(long process, int descriptor, long bytes, byte[] token) throws IOException {
        Set<StandardOpenOption> both = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
        return open(process, descriptor, bytes, token, both, MapMode.READ_WRITE);
    }

    private static SharedView open(
            long process, int descriptor, long bytes, byte[] token, Set<StandardOpenOption> options, MapMode mode)
            throws IOException {
        if (bytes < 1 || bytes > SharedBlock.MAX_BYTES + OffHeap.pageSize() || bytes % OffHeap.pageSize() != 0) {
            throw new IOException("No block of shared memory has this size");
        }
        Path path = Path.of("/proc/" + process + "/fd/" + descriptor);
        if (!NAMELESS.matcher(Files.readSymbolicLink(path).toString()).matches()) {
            throw new IOException("What was named is no shared memory");
        }
        try (FileChannel file = FileChannel.open(path, options)) {
            ByteBuffer found = ByteBuffer.allocate(SharedBlock.TOKEN_BYTES);
            int length = file.read(found, bytes);
            if (length != SharedBlock.TOKEN_BYTES || !MessageDigest.isEqual(found.array(), token)) {
                throw new IOException("The shared memory is another than was meant");
            }
            return new SharedView(file.map(mode, 0, bytes));
        }
    }

    /** The first byte. */
    public long address() {
        return address;
    }

    /** How many there are. */
    public long bytes() {
        return mapped.capacity();
    }

    @Override
    public void close() {
        OffHeap.unmap(mapped);
    }

    @Override
    public String toString() {
        return "SharedView[" + bytes() + " bytes]";
    }
}

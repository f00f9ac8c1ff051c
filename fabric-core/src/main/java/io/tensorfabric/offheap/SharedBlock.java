package io.tensorfabric.offheap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/**
 * A block of {@link SharedMemory}, and what another process needs to map it: this process's id, a number of a file
 * descriptor, and a token that lies behind the bytes. Whoever knows these can read the block if the kernel lets that
 * process look into this one, so they travel only where secrets do.
 *
 * <p>Immutable and thread-safe; valid until the block is freed.
 */
public final class SharedBlock {

    /** Largest block: what Java maps of a file at once ({@link FileChannel#map}), in whole pages of any usual size. */
    public static final long MAX_BYTES = Integer.MAX_VALUE - 0xffffL;

    /** Bytes of a token. */
    public static final int TOKEN_BYTES = 32;

    static final Path FOLDER = Path.of("/dev/shm");

    static final String PREFIX = "tensor-fabric-";

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private static final int PIECE = 1 << 20;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final FileChannel file;

    private final MappedByteBuffer mapped;

    private final long address;

    private final long bytes;

    private final int descriptor;

    private final byte[] token;

    private SharedBlock(
            FileChannel file, MappedByteBuffer mapped, long address, long bytes, int descriptor, byte[] token) {
        this.file = file;
        this.mapped = mapped;
        this.address = address;
        this.bytes = bytes;
        this.descriptor = descriptor;
        this.token = token;
    }

    static SharedBlock make(long bytes, long alignment) throws IOException {
        long page = OffHeap.pageSize();
        long lead = Math.max(0, alignment - page);
        if (bytes > MAX_BYTES || bytes + lead > MAX_BYTES) {
            throw new IOException("a block has " + MAX_BYTES + " bytes at most");
        }
        if (!Files.isDirectory(DESCRIPTORS)
                || !Files.getFileStore(FOLDER).type().equals("tmpfs")) {
            throw new IOException("this system has no /proc/self/fd, or no tmpfs at " + FOLDER);
        }
        long free = Files.getFileStore(FOLDER).getUsableSpace();
        if (bytes + lead > free / 2) {
            throw new IOException("of " + FOLDER + " at most half is taken, and " + free + " bytes are free");
        }
        byte[] name = new byte[16];
        RANDOM.nextBytes(name);
        Path path = FOLDER.resolve(PREFIX + HexFormat.of().formatHex(name));
        FileChannel file = FileChannel.open(
                path,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            int descriptor;
            try {
                descriptor = descriptorOf(path);
            } finally {
                Files.delete(path);
            }
            return map(file, descriptor, lead + bytes, bytes, alignment);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static SharedBlock map(FileChannel file, int descriptor, long size, long bytes, long alignment)
            throws IOException {
        byte[] token = new byte[TOKEN_BYTES];
        RANDOM.nextBytes(token);
        long end = size + OffHeap.pageSize() - 1 & -OffHeap.pageSize();
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(PIECE, end));
        for (long at = 0; at < end; ) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), end - at));
            at += file.write(zeros, at);
        }
        file.write(ByteBuffer.wrap(token), end);
        MappedByteBuffer mapped = file.map(MapMode.READ_WRITE, 0, end);
        long start = OffHeap.addressOf(mapped);
        long address = start + alignment - 1 & -alignment;
        return new SharedBlock(file, mapped, address, bytes, descriptor, token);
    }

    /** Java tells no number of a descriptor, but the kernel tells what each number is. */
    private static int descriptorOf(Path path) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path entry : entries) {
                if (isLinkTo(entry, path)) {
                    return Integer.parseInt(entry.getFileName().toString());
                }
            }
        }
        throw new IOException("the file's descriptor was not found");
    }

    private static boolean isLinkTo(Path entry, Path path) {
        try {
            return Files.readSymbolicLink(entry).equals(path);
        } catch (IOException e) {
            // Closed by another thread in this moment.
            return false;
        }
    }

    /** The first byte. */
    public long address() {
        return address;
    }

    /** Bytes that another process maps, from the beginning of the file on. */
    public long mappedBytes() {
        return mapped.capacity();
    }

    /** Where an address inside is in the file. */
    public long offsetOf(long inside) {
        return inside - OffHeap.addressOf(mapped);
    }

    /** Number of the file in this process. */
    public int descriptor() {
        return descriptor;
    }

    /** Copies the secret to a buffer. */
    public void putToken(ByteBuffer target) {
        target.put(token);
    }

    boolean covers(long start, long length) {
        return start >= address && length >= 0 && length <= bytes - (start - address);
    }

    void close() {
        OffHeap.unmap(mapped);
        try {
            file.close();
        } catch (IOException e) {
            throw new IllegalStateException("A file of shared memory cannot be closed", e);
        }
    }

    @Override
    public String toString() {
        return "SharedBlock[" + bytes + " bytes]";
    }
}

package io.tensorfabric.tensor.safetensors;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.Tensor;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * An open safetensors file, for reading its tensors in any order.
 *
 * <p>Bytes are read by position, never mapped: a file that is cut off meanwhile is an {@link EOFException} and not a crash
 * of the process, and one that is replaced by renaming goes on with its old content. May be used by many threads; but as
 * {@link FileChannel} says, interrupting a thread that reads closes the file for all of them.
 */
public final class SafetensorsFile implements AutoCloseable {

    private static final int READ_CHUNK = 16 << 20;
    private static final int TRANSFER_CHUNK = 1 << 20;
    private static final int CHUNK_ALIGNMENT = 4096;

    private final Path path;
    private final FileChannel channel;
    private final SafetensorsHeader header;

    private SafetensorsFile(Path path, FileChannel channel, SafetensorsHeader header) {
        this.path = path;
        this.channel = channel;
        this.header = header;
    }

    /**
     * Opens a file and checks its header against its size.
     *
     * @throws SafetensorsFormatException if the content is not valid
     * @throws IOException if the file cannot be read
     */
    public static SafetensorsFile open(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        try {
            SafetensorsHeader header = SafetensorsHeader.read(Channels.newInputStream(channel), channel.size());
            return new SafetensorsFile(path, channel, header);
        } catch (SafetensorsFormatException e) {
            channel.close();
            throw new SafetensorsFormatException(path + ": " + e.getMessage(), e);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    /** What the file holds. */
    public SafetensorsHeader header() {
        return header;
    }

    /** The file as it was opened. */
    public Path path() {
        return path;
    }

    /**
     * Reads all bytes of a tensor into memory.
     *
     * @param entry of this file's {@link #header()}
     * @param address of at least {@link SafetensorsEntry#byteLength()} writable bytes
     * @throws EOFException if the file has become shorter
     * @throws IOException if reading fails
     */
    public void readInto(SafetensorsEntry entry, long address) throws IOException {
        readInto(entry, 0, entry.byteLength(), address);
    }

    /**
     * Reads part of a tensor into memory.
     *
     * @param entry of this file's {@link #header()}
     * @param offset of the first byte inside the tensor
     * @param bytes how many
     * @param address of as many writable bytes
     * @throws IndexOutOfBoundsException if the part is not inside the tensor
     * @throws EOFException if the file has become shorter
     * @throws IOException if reading fails
     */
    public void readInto(SafetensorsEntry entry, long offset, long bytes, long address) throws IOException {
        Objects.checkFromIndexSize(offset, bytes, own(entry).byteLength());
        long position = header.dataStart() + entry.begin() + offset;
        long done = 0;
        while (done < bytes) {
            ByteBuffer target = OffHeap.asByteBuffer(address + done, (int) Math.min(READ_CHUNK, bytes - done));
            int count = channel.read(target, position + done);
            if (count < 0) {
                throw new EOFException(path + " was cut off while it was read: it ends before byte "
                        + (position + bytes) + ", inside tensor " + SafetensorsFormatException.quote(entry.name()));
            }
            done += count;
        }
    }

    /**
     * Reads a tensor into memory of its own.
     *
     * @param entry of this file's {@link #header()}
     * @return to be closed by the caller
     * @throws EOFException if the file has become shorter
     * @throws IOException if reading fails
     */
    public Tensor load(SafetensorsEntry entry) throws IOException {
        Tensor tensor = Tensor.allocate(own(entry).descriptor());
        try {
            readInto(entry, tensor.address());
            return tensor;
        } catch (IOException | RuntimeException | Error e) {
            tensor.close();
            throw e;
        }
    }

    /**
     * Writes all bytes of a tensor to a channel in blocking mode, in chunks of 1 MiB.
     *
     * @param entry of this file's {@link #header()}
     * @throws EOFException if the file has become shorter
     * @throws IOException if reading or writing fails
     */
    public void transferTo(SafetensorsEntry entry, WritableByteChannel target) throws IOException {
        long bytes = own(entry).byteLength();
        long chunk = OffHeap.allocate(Math.min(TRANSFER_CHUNK, bytes), CHUNK_ALIGNMENT);
        try {
            for (long offset = 0; offset < bytes; offset += TRANSFER_CHUNK) {
                int length = (int) Math.min(TRANSFER_CHUNK, bytes - offset);
                readInto(entry, offset, length, chunk);
                ChannelWrites.writeFully(target, OffHeap.asByteBuffer(chunk, length));
            }
        } finally {
            OffHeap.free(chunk);
        }
    }

    private SafetensorsEntry own(SafetensorsEntry entry) {
        if (!entry.equals(header.byName().get(entry.name()))) {
            throw new IllegalArgumentException(
                    "Tensor " + SafetensorsFormatException.quote(entry.name()) + " is not an entry of " + path);
        }
        return entry;
    }

    /** Closes the file. Further calls do nothing. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}

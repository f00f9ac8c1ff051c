package io.tensorfabric.interop.npy;

import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * NumPy's files ({@code .npy}, format 1.0, 2.0 and 3.0) of plain arrays. Elements are read straight into the tensor's memory
 * and written straight out of it. Big-endian elements are turned round; arrays in Fortran order, of fields, of objects or
 * texts are refused. Thread-safe; channels have to be in blocking mode.
 */
public final class NpyFiles {

    private static final int CHUNK = 16 << 20;

    private NpyFiles() {}

    /**
     * Reads a file with one array.
     *
     * @param name of the tensor
     * @return to be closed by the caller
     * @throws NpyFormatException if it is no NumPy file, one that is not read here, or longer than its array
     * @throws EOFException if it is shorter than its array
     * @throws IOException if reading fails
     */
    public static Tensor read(String name, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            NpyHeader header = NpyHeader.read(channel);
            long present = channel.size() - header.length();
            TensorDescriptor descriptor = new TensorDescriptor(name, header.dataType(), header.shape());
            if (present < descriptor.byteLength()) {
                throw new EOFException(
                        "It has " + present + " bytes of elements instead of " + descriptor.byteLength());
            }
            if (present > descriptor.byteLength()) {
                throw new NpyFormatException("It has " + (present - descriptor.byteLength())
                        + " bytes after its array: read files with several arrays by a channel");
            }
            return elements(channel, header, descriptor);
        } catch (NpyFormatException e) {
            throw new NpyFormatException(file + ": " + e.getMessage(), e);
        } catch (EOFException e) {
            throw (EOFException) new EOFException(file + " is cut off: " + e.getMessage()).initCause(e);
        }
    }

    /**
     * Reads the next array of a channel, and no byte further.
     *
     * @param name of the tensor
     * @param mostBytes of elements that are accepted, since the memory is allocated before they come
     * @return to be closed by the caller
     * @throws NpyFormatException if there is no array, one that is not read here, or a larger one
     * @throws EOFException if the channel ends before the array does
     * @throws IOException if reading fails
     */
    public static Tensor read(String name, ReadableByteChannel channel, long mostBytes) throws IOException {
        NpyHeader header = NpyHeader.read(channel);
        TensorDescriptor descriptor = new TensorDescriptor(name, header.dataType(), header.shape());
        if (descriptor.byteLength() > mostBytes) {
            throw new NpyFormatException("The array has " + descriptor.byteLength() + " bytes of elements; at most "
                    + mostBytes + " are accepted");
        }
        return elements(channel, header, descriptor);
    }

    private static Tensor elements(ReadableByteChannel channel, NpyHeader header, TensorDescriptor descriptor)
            throws IOException {
        Tensor tensor = Tensor.allocate(descriptor);
        try {
            for (long offset = 0; offset < tensor.byteLength(); offset += CHUNK) {
                ByteBuffer chunk = chunk(tensor, offset);
                while (chunk.hasRemaining()) {
                    if (channel.read(chunk) < 0) {
                        throw new EOFException("The elements end at byte " + (offset + chunk.position()) + " of "
                                + tensor.byteLength());
                    }
                }
                if (header.swapped()) {
                    ElementOrder.reverse(chunk.flip(), descriptor.dataType());
                }
            }
            return tensor;
        } catch (IOException | RuntimeException | Error e) {
            tensor.close();
            throw e;
        }
    }

    /**
     * Writes a tensor as a file, replacing what is there.
     *
     * @throws IllegalArgumentException if NumPy has no such type: the 16-bit BF16, and those of 8 bits and less that are
     *     floats
     * @throws IllegalStateException if the tensor is closed, or lies in memory of a GPU
     * @throws IOException if writing fails
     */
    public static void write(Tensor tensor, Path file) throws IOException {
        byte[] header = NpyHeader.encode(tensor.descriptor());
        chunk(tensor, 0);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            write(tensor, header, channel);
        }
    }

    /**
     * Writes a tensor to a channel, which is left open.
     *
     * @throws IllegalArgumentException as {@link #write(Tensor, Path)}
     * @throws IllegalStateException as {@link #write(Tensor, Path)}
     * @throws IOException if writing fails
     */
    public static void write(Tensor tensor, WritableByteChannel channel) throws IOException {
        write(tensor, NpyHeader.encode(tensor.descriptor()), channel);
    }

    private static void write(Tensor tensor, byte[] header, WritableByteChannel channel) throws IOException {
        writeFully(channel, ByteBuffer.wrap(header));
        for (long offset = 0; offset < tensor.byteLength(); offset += CHUNK) {
            writeFully(channel, chunk(tensor, offset));
        }
    }

    private static void writeFully(WritableByteChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private static ByteBuffer chunk(Tensor tensor, long offset) {
        return tensor.asByteBuffer(offset, (int) Math.min(CHUNK, tensor.byteLength() - offset));
    }
}

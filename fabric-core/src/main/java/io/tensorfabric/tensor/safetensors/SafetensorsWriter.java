package io.tensorfabric.tensor.safetensors;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Writes safetensors content from native memory, without a copy of more than a few KiB at a time. Stateless. */
public final class SafetensorsWriter {

    private static final int COPY_BUFFER = 64 << 10;

    private SafetensorsWriter() {}

    /**
     * Writes a file. It appears under its name only when it is complete and on disk, in place of what was there before;
     * readers of the old file are not disturbed.
     *
     * @throws IllegalArgumentException if {@link SafetensorsLayout#of} refuses the tensors
     * @throws IOException if writing fails; nothing is left behind then
     */
    public static SafetensorsLayout write(Collection<Tensor> tensors, Map<String, String> metadata, Path file)
            throws IOException {
        SafetensorsLayout layout = layoutOf(tensors, metadata);
        write(layout, sourceOf(tensors), file);
        return layout;
    }

    /**
     * Writes a file. It appears under its name only when it is complete and on disk, in place of what was there before;
     * readers of the old file are not disturbed.
     *
     * @throws IOException if writing fails; nothing is left behind then
     */
    public static void write(SafetensorsLayout layout, TensorSource source, Path file) throws IOException {
        try (ReplacedFile replacement = ReplacedFile.of(file)) {
            FileChannel channel = replacement.channel();
            write(layout, source, channel);
            replacement.commit();
        }
    }

    /**
     * Writes to a channel in blocking mode, which stays open.
     *
     * @throws IOException if the channel or the source fails
     */
    public static void write(SafetensorsLayout layout, TensorSource source, WritableByteChannel target)
            throws IOException {
        ChannelWrites.writeFully(target, ByteBuffer.wrap(layout.headerBytes()));
        for (SafetensorsEntry entry : layout.header().entries()) {
            if (entry.byteLength() > 0) {
                ChannelWrites.writeFully(target, source.addressOf(entry), entry.byteLength());
            }
        }
    }

    /**
     * Writes to a stream, which stays open and is not flushed.
     *
     * @throws IOException if the stream or the source fails
     */
    public static void write(SafetensorsLayout layout, TensorSource source, OutputStream target) throws IOException {
        target.write(layout.headerBytes());
        byte[] buffer = new byte[COPY_BUFFER];
        for (SafetensorsEntry entry : layout.header().entries()) {
            long address = entry.byteLength() > 0 ? source.addressOf(entry) : 0;
            for (long done = 0; done < entry.byteLength(); done += COPY_BUFFER) {
                int length = (int) Math.min(COPY_BUFFER, entry.byteLength() - done);
                OffHeap.copyToArray(address + done, buffer, 0, length);
                target.write(buffer, 0, length);
            }
        }
    }

    /**
     * The layout of tensors.
     *
     * @throws IllegalArgumentException if {@link SafetensorsLayout#of} refuses them
     */
    public static SafetensorsLayout layoutOf(Collection<Tensor> tensors, Map<String, String> metadata) {
        List<TensorDescriptor> descriptors =
                tensors.stream().map(Tensor::descriptor).toList();
        return SafetensorsLayout.of(descriptors, metadata);
    }

    /**
     * The memory of tensors, which must stay open while it is read.
     *
     * @throws IllegalStateException if two tensors have the same name
     */
    public static TensorSource sourceOf(Collection<Tensor> tensors) {
        Map<String, Tensor> byName = tensors.stream().collect(Collectors.toMap(Tensor::name, Function.identity()));
        return entry -> {
            Tensor tensor = byName.get(entry.name());
            if (tensor == null || !tensor.descriptor().equals(entry.descriptor())) {
                throw new IOException(
                        "Tensor " + SafetensorsFormatException.quote(entry.name()) + " is not what was laid out");
            }
            if (tensor.kind().type() != MemoryKind.Type.HOST) {
                throw new IOException("Tensor " + SafetensorsFormatException.quote(entry.name()) + " lies in "
                        + tensor.kind() + ": copy it to the host first");
            }
            return tensor.address();
        };
    }
}

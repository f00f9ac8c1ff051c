package io.tensorfabric.tensor.safetensors;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;

/**
 * Reads safetensors content that passes by once, an upload for example. The header is read and checked by {@code open},
 * so that a caller can refuse by size or name before any memory is taken; then {@link #readAll} moves each tensor's bytes
 * into memory of the caller.
 *
 * <p>Not for use by several threads. The stream is not closed. Memory always belongs to the caller: when {@code readAll}
 * throws, every address that the sink handed out so far is no longer written and may be freed.
 */
public final class SafetensorsStreamReader {

    private final ByteSource source;
    private final SafetensorsHeader header;
    private boolean consumed;

    private SafetensorsStreamReader(ByteSource source, SafetensorsHeader header) {
        this.source = source;
        this.header = header;
    }

    /**
     * Reads the header from a stream.
     *
     * @param in blocking, at the first byte of the content
     * @param totalBytes length of all content, or {@link SafetensorsHeader#UNKNOWN_LENGTH}
     * @throws SafetensorsFormatException if the header is wrong, or does not fit the total length
     * @throws IOException if the stream fails
     */
    public static SafetensorsStreamReader open(InputStream in, long totalBytes) throws IOException {
        return open(in, totalBytes, SafetensorsHeader.MAX_HEADER_BYTES);
    }

    /**
     * Reads the header from a stream.
     *
     * @param in blocking, at the first byte of the content
     * @param totalBytes length of all content, or {@link SafetensorsHeader#UNKNOWN_LENGTH}
     * @param maxHeaderBytes a lower limit than the format's, for senders that are not trusted
     * @throws SafetensorsFormatException if the header is wrong, or does not fit the total length
     * @throws IOException if the stream fails
     */
    public static SafetensorsStreamReader open(InputStream in, long totalBytes, long maxHeaderBytes)
            throws IOException {
        return open(ByteSource.of(in), totalBytes, maxHeaderBytes);
    }

    /**
     * Reads the header from a channel.
     *
     * @param channel in blocking mode, at the first byte of the content
     * @param totalBytes length of all content, or {@link SafetensorsHeader#UNKNOWN_LENGTH}
     * @throws SafetensorsFormatException if the header is wrong, or does not fit the total length
     * @throws IOException if the channel fails
     */
    public static SafetensorsStreamReader open(ReadableByteChannel channel, long totalBytes) throws IOException {
        return open(ByteSource.of(channel), totalBytes, SafetensorsHeader.MAX_HEADER_BYTES);
    }

    private static SafetensorsStreamReader open(ByteSource source, long totalBytes, long maxHeaderBytes)
            throws IOException {
        return new SafetensorsStreamReader(source, SafetensorsHeader.read(source.stream(), totalBytes, maxHeaderBytes));
    }

    /** What the content holds. */
    public SafetensorsHeader header() {
        return header;
    }

    /**
     * Reads all tensors and makes sure that the content ends after the last one.
     *
     * @throws SafetensorsFormatException if bytes are missing or left over
     * @throws IOException if the stream or the sink fails
     * @throws IllegalStateException if called before
     */
    public void readAll(TensorSink sink) throws IOException {
        if (consumed) {
            throw new IllegalStateException("The content passes by only once, and was read already");
        }
        consumed = true;
        for (SafetensorsEntry entry : header.entries()) {
            if (entry.byteLength() > 0) {
                read(entry, sink.addressFor(entry));
            }
            sink.completed(entry);
        }
        if (source.stream().read() >= 0) {
            throw new SafetensorsFormatException("Content goes on after the last tensor");
        }
    }

    private void read(SafetensorsEntry entry, long address) throws IOException {
        if (address == TensorSink.SKIP) {
            skip(entry);
            return;
        }
        long done = 0;
        while (done < entry.byteLength()) {
            int count = source.read(address + done, entry.byteLength() - done);
            if (count < 0) {
                throw missing(entry, done);
            }
            done += count;
        }
    }

    private void skip(SafetensorsEntry entry) throws IOException {
        try {
            source.stream().skipNBytes(entry.byteLength());
        } catch (EOFException e) {
            throw missing(entry, 0);
        }
    }

    private SafetensorsFormatException missing(SafetensorsEntry entry, long done) {
        return new SafetensorsFormatException("Content ends inside tensor "
                + SafetensorsFormatException.quote(entry.name()) + ", after " + done + " or more of its "
                + entry.byteLength() + " bytes");
    }
}

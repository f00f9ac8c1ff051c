package io.tensorfabric.tensor.safetensors;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A checked header: every range is inside the data, and together they cover it without hole or overlap. Immutable. */
public final class SafetensorsHeader {

    /** The longest header that the format allows, in bytes. */
    public static final long MAX_HEADER_BYTES = 100_000_000;

    /** Stands for a total length that is not known before the end. */
    public static final long UNKNOWN_LENGTH = -1;

    /** Size of the length that precedes the header. */
    static final int PREFIX_BYTES = Long.BYTES;

    private final List<SafetensorsEntry> ordered;
    private final Map<String, SafetensorsEntry> entries;
    private final Map<String, String> metadata;
    private final long dataStart;
    private final long dataBytes;

    /** Entries come sorted and checked from {@link HeaderParser} or {@link SafetensorsLayout}. */
    SafetensorsHeader(List<SafetensorsEntry> ordered, Map<String, String> metadata, long headerBytes) {
        Map<String, SafetensorsEntry> byName = new LinkedHashMap<>(ordered.size() * 2);
        ordered.forEach(entry -> byName.put(entry.name(), entry));
        this.ordered = List.copyOf(ordered);
        this.entries = Collections.unmodifiableMap(byName);
        this.metadata = Collections.unmodifiableMap(metadata);
        this.dataStart = PREFIX_BYTES + headerBytes;
        this.dataBytes = ordered.isEmpty() ? 0 : ordered.get(ordered.size() - 1).end();
    }

    /**
     * Reads a header from the start of a stream and leaves the stream at the first byte of data.
     *
     * @param in blocking; not closed
     * @param totalBytes length of header and data together, or {@link #UNKNOWN_LENGTH}
     * @throws SafetensorsFormatException if the header is wrong, or does not fit the total length
     * @throws IOException if the stream fails
     */
    public static SafetensorsHeader read(InputStream in, long totalBytes) throws IOException {
        return read(in, totalBytes, MAX_HEADER_BYTES);
    }

    /**
     * Reads a header from the start of a stream and leaves the stream at the first byte of data.
     *
     * @param in blocking; not closed
     * @param totalBytes length of header and data together, or {@link #UNKNOWN_LENGTH}
     * @param maxHeaderBytes a lower limit than the format's, for senders that are not trusted
     * @throws SafetensorsFormatException if the header is wrong, or does not fit the total length
     * @throws IOException if the stream fails
     */
    public static SafetensorsHeader read(InputStream in, long totalBytes, long maxHeaderBytes) throws IOException {
        long length = HeaderPrefix.read(in, totalBytes, Math.min(maxHeaderBytes, MAX_HEADER_BYTES));
        SafetensorsHeader header = HeaderParser.parse(in, length);
        if (totalBytes != UNKNOWN_LENGTH && header.totalBytes() != totalBytes) {
            throw new SafetensorsFormatException("Header describes " + header.dataBytes + " bytes of data, but "
                    + (totalBytes - header.dataStart) + " follow it");
        }
        return header;
    }

    /** The tensors by name, in the order of their bytes. */
    public Map<String, SafetensorsEntry> byName() {
        return entries;
    }

    /** The tensors in the order of their bytes. */
    public List<SafetensorsEntry> entries() {
        return ordered;
    }

    /** The tensor of a name. */
    public Optional<SafetensorsEntry> find(String name) {
        return Optional.ofNullable(entries.get(name));
    }

    /** Free-form text of the file's author, the {@code __metadata__} of the format; empty if there is none. */
    public Map<String, String> metadata() {
        return metadata;
    }

    /** Where the data begins, in bytes from the start of the file. */
    public long dataStart() {
        return dataStart;
    }

    /** The size of all tensors together, in bytes. */
    public long dataBytes() {
        return dataBytes;
    }

    /** The size of the whole file in bytes. */
    public long totalBytes() {
        return dataStart + dataBytes;
    }

    @Override
    public String toString() {
        return "SafetensorsHeader[" + entries.size() + " tensors, " + dataBytes + " bytes of data]";
    }
}

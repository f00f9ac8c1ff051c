package io.tensorfabric.tensor.safetensors;

import io.tensorfabric.tensor.TensorDescriptor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How a file will look, known before its first byte is written: the order of the tensors, the header, the total size.
 *
 * <p>The order is that of the reference implementation, widest types first and then by name, so that data is aligned and
 * equal tensors give equal bytes in whatever order they come. Metadata is ordered by key. Immutable.
 */
public final class SafetensorsLayout {

    private static final int ALIGNMENT = 8;

    /** Order of code points, which is that of UTF-8 bytes; {@link String} compares UTF-16 units. */
    private static final Comparator<String> BY_CODE_POINT = (left, right) ->
            Arrays.compare(left.codePoints().toArray(), right.codePoints().toArray());

    private static final Comparator<TensorDescriptor> FILE_ORDER = Comparator.comparing(TensorDescriptor::dataType)
            .reversed()
            .thenComparing(TensorDescriptor::name, BY_CODE_POINT);

    private final SafetensorsHeader header;
    private final byte[] headerBytes;

    private SafetensorsLayout(SafetensorsHeader header, byte[] headerBytes) {
        this.header = header;
        this.headerBytes = headerBytes;
    }

    /** Lays out tensors without metadata. */
    public static SafetensorsLayout of(Collection<TensorDescriptor> tensors) {
        return of(tensors, Map.of());
    }

    /**
     * Lays out tensors.
     *
     * @param metadata free-form text for the header; left out if empty
     * @throws IllegalArgumentException if a name is taken twice or reserved, or if the header or the file would be larger
     *     than the format allows
     */
    public static SafetensorsLayout of(Collection<TensorDescriptor> tensors, Map<String, String> metadata) {
        List<SafetensorsEntry> entries =
                place(tensors.stream().sorted(FILE_ORDER).toList());
        Map<String, String> ordered = new TreeMap<>(BY_CODE_POINT);
        ordered.putAll(metadata);
        byte[] json = HeaderWriter.json(entries, ordered).getBytes(StandardCharsets.UTF_8);
        int padded = (json.length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (padded > SafetensorsHeader.MAX_HEADER_BYTES) {
            throw new IllegalArgumentException("Header of " + padded + " bytes is above the maximum of "
                    + SafetensorsHeader.MAX_HEADER_BYTES + "; split the tensors over several files");
        }
        byte[] bytes = new byte[SafetensorsHeader.PREFIX_BYTES + padded];
        Arrays.fill(bytes, (byte) ' ');
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(padded).put(json);
        return new SafetensorsLayout(new SafetensorsHeader(entries, ordered, padded), bytes);
    }

    private static List<SafetensorsEntry> place(List<TensorDescriptor> tensors) {
        Set<String> names = new HashSet<>();
        List<SafetensorsEntry> entries = new ArrayList<>(tensors.size());
        long begin = 0;
        for (TensorDescriptor tensor : tensors) {
            if (tensor.name().equals(HeaderParser.METADATA)) {
                throw new IllegalArgumentException("A tensor cannot be named " + HeaderParser.METADATA);
            }
            if (!names.add(tensor.name())) {
                throw new IllegalArgumentException(
                        "Two tensors are named " + SafetensorsFormatException.quote(tensor.name()));
            }
            long end = begin + tensor.byteLength();
            if (end < 0 || end > Long.MAX_VALUE - 2 * SafetensorsHeader.MAX_HEADER_BYTES) {
                throw new IllegalArgumentException("All tensors together are larger than a file can be");
            }
            entries.add(new SafetensorsEntry(tensor, begin, end));
            begin = end;
        }
        return entries;
    }

    /** What a reader of the file will find. */
    public SafetensorsHeader header() {
        return header;
    }

    /** A copy of everything before the data: length, header, padding. */
    public byte[] headerBytes() {
        return headerBytes.clone();
    }

    /** The size of the whole file in bytes, for a Content-Length. */
    public long totalBytes() {
        return header.totalBytes();
    }
}

package io.tensorfabric.tensor.safetensors;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.TensorDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns the header's JSON into entries and checks them, each alone and all together. */
final class HeaderParser {

    static final String METADATA = "__metadata__";

    /** Ranges in ascending order; an empty tensor before the one that begins where it lies. */
    private static final Comparator<SafetensorsEntry> BY_RANGE =
            Comparator.comparingLong(SafetensorsEntry::begin).thenComparingLong(SafetensorsEntry::end);

    private final StrictJson json;
    private final HeapBudget budget = new HeapBudget();
    private final List<SafetensorsEntry> entries = new ArrayList<>();
    private Map<String, String> metadata = Map.of();

    private HeaderParser(StrictJson json) {
        this.json = json;
    }

    static SafetensorsHeader parse(InputStream in, long length) throws IOException {
        return StrictJson.read(
                "Header", new BoundedInputStream(in, length), json -> new HeaderParser(json).header(length));
    }

    private SafetensorsHeader header(long length) throws IOException {
        for (String key = json.nextKey(); key != null; key = json.nextKey()) {
            if (key.equals(METADATA)) {
                metadata = readMetadata();
            } else {
                entries.add(readEntry(key));
            }
        }
        entries.sort(BY_RANGE);
        checkCoverage();
        return new SafetensorsHeader(entries, metadata, length);
    }

    private Map<String, String> readMetadata() throws IOException {
        Map<String, String> pairs = new LinkedHashMap<>();
        json.enterObject(METADATA);
        for (String key = json.nextKey(); key != null; key = json.nextKey()) {
            String value = json.string("value of " + METADATA + " " + SafetensorsFormatException.quote(key));
            budget.pair(key, value);
            pairs.put(key, value);
        }
        return pairs;
    }

    private SafetensorsEntry readEntry(String name) throws IOException {
        String quoted = SafetensorsFormatException.quote(name);
        DataType dataType = null;
        long[] shape = null;
        long[] range = null;
        json.enterObject("tensor " + quoted);
        for (String key = json.nextKey(); key != null; key = json.nextKey()) {
            switch (key) {
                case "dtype" -> dataType = readDataType(quoted);
                case "shape" -> shape = readIntegers("shape of " + quoted, Shape.MAX_RANK);
                case "data_offsets" -> range = readIntegers("data_offsets of " + quoted, 2);
                default -> json.skipValue();
            }
        }
        budget.tensor(name, shape == null ? 0 : shape.length);
        return entry(name, present(dataType, "dtype", quoted), present(shape, "shape", quoted), checked(range, quoted));
    }

    private DataType readDataType(String quoted) throws IOException {
        String dataType = json.string("dtype of " + quoted);
        return DataType.fromName(dataType)
                .orElseThrow(() -> json.malformed(
                        "dtype of " + quoted + " is the unknown " + SafetensorsFormatException.quote(dataType)));
    }

    private long[] readIntegers(String name, int most) throws IOException {
        long[] values = new long[most];
        int count = 0;
        json.enterArray(name);
        while (json.nextElement()) {
            if (count == most) {
                throw json.malformed(name + " has more than " + most + " numbers");
            }
            values[count++] = json.unsignedElement(name);
        }
        return Arrays.copyOf(values, count);
    }

    private <T> T present(@Nullable T value, String field, String quoted) throws IOException {
        if (value == null) {
            throw json.malformed("tensor " + quoted + " has no " + field);
        }
        return value;
    }

    private long[] checked(long @Nullable [] range, String quoted) throws IOException {
        long[] present = present(range, "data_offsets", quoted);
        if (present.length != 2) {
            throw json.malformed("data_offsets of " + quoted + " must be two numbers");
        }
        if (present[1] < present[0]) {
            throw json.malformed("data_offsets of " + quoted + " end before they begin");
        }
        return present;
    }

    private SafetensorsEntry entry(String name, DataType dataType, long[] shape, long[] range) throws IOException {
        TensorDescriptor descriptor;
        try {
            descriptor = new TensorDescriptor(name, dataType, Shape.of(shape));
        } catch (IllegalArgumentException e) {
            throw new SafetensorsFormatException(
                    "Tensor " + SafetensorsFormatException.quote(name) + " is invalid: " + e.getMessage(), e);
        }
        SafetensorsEntry entry = new SafetensorsEntry(descriptor, range[0], range[1]);
        if (entry.byteLength() != descriptor.byteLength()) {
            throw new SafetensorsFormatException("Tensor " + SafetensorsFormatException.quote(name) + " of type "
                    + dataType + " and shape " + descriptor.shape() + " needs " + descriptor.byteLength()
                    + " bytes, but its range has " + entry.byteLength());
        }
        return entry;
    }

    private void checkCoverage() throws IOException {
        long covered = 0;
        for (SafetensorsEntry entry : entries) {
            if (entry.begin() != covered) {
                throw new SafetensorsFormatException("Tensor " + SafetensorsFormatException.quote(entry.name())
                        + " begins at " + entry.begin() + " instead of " + covered
                        + (entry.begin() < covered ? ": tensors overlap" : ": there is a hole in the data"));
            }
            covered = entry.end();
        }
        if (covered > Long.MAX_VALUE - SafetensorsHeader.MAX_HEADER_BYTES - SafetensorsHeader.PREFIX_BYTES) {
            throw new SafetensorsFormatException("Data of " + covered + " bytes is larger than a file can be");
        }
    }
}

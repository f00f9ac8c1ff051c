package io.tensorfabric.tensor.safetensors;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Fuzz target: readers of safetensors content, which must agree with each other, and the reader of its index. */
public final class SafetensorsFuzz {

    private static final TensorSink NOWHERE = new TensorSink() {
        @Override
        public long addressFor(SafetensorsEntry entry) {
            return SKIP;
        }

        @Override
        public void completed(SafetensorsEntry entry) {}
    };

    private SafetensorsFuzz() {}

    /** Runs one input; called by the fuzzer by name. */
    public static void fuzzerTestOneInput(byte[] data) {
        SafetensorsHeader file = asFile(data);
        SafetensorsHeader stream = asStream(data);
        if ((file == null) != (stream == null)) {
            throw new IllegalStateException("One reader takes what the other refuses");
        }
        if (file != null) {
            check(file, data.length);
            rewrite(file);
        }
        asIndex(data);
    }

    private static @Nullable SafetensorsHeader asFile(byte[] data) {
        try {
            return SafetensorsHeader.read(new ByteArrayInputStream(data), data.length);
        } catch (SafetensorsFormatException refused) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable SafetensorsHeader asStream(byte[] data) {
        try {
            SafetensorsStreamReader reader =
                    SafetensorsStreamReader.open(new ByteArrayInputStream(data), SafetensorsHeader.UNKNOWN_LENGTH);
            reader.readAll(NOWHERE);
            return reader.header();
        } catch (SafetensorsFormatException refused) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void check(SafetensorsHeader header, long bytes) {
        long position = 0;
        for (SafetensorsEntry entry : header.entries()) {
            boolean whole = entry.begin() == position
                    && entry.end() >= entry.begin()
                    && entry.byteLength() == entry.descriptor().byteLength()
                    && entry.equals(header.byName().get(entry.name()));
            if (!whole) {
                throw new IllegalStateException("Tensors do not lie one behind the other, or do not fit their shape");
            }
            position = entry.end();
        }
        if (header.byName().size() != header.entries().size() || header.dataStart() + position != bytes) {
            throw new IllegalStateException("Tensors do not cover the data, or share a name");
        }
    }

    /** What was read can be written, and is read again as the same. */
    private static void rewrite(SafetensorsHeader header) {
        List<SafetensorsEntry> entries = header.entries();
        SafetensorsLayout layout = SafetensorsLayout.of(
                entries.stream().map(SafetensorsEntry::descriptor).toList(), header.metadata());
        byte[] bytes = layout.headerBytes();
        SafetensorsHeader again;
        try {
            again = SafetensorsHeader.read(new ByteArrayInputStream(bytes), SafetensorsHeader.UNKNOWN_LENGTH);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        boolean same = again.metadata().equals(header.metadata())
                && again.entries().size() == entries.size()
                && entries.stream()
                        .allMatch(entry ->
                                again.byName().get(entry.name()).descriptor().equals(entry.descriptor()));
        if (!same) {
            throw new IllegalStateException("What was written is not what was read");
        }
    }

    private static void asIndex(byte[] data) {
        try {
            SafetensorsIndex index = SafetensorsIndex.read(new ByteArrayInputStream(data), data.length);
            for (String shard : index.shards()) {
                if (shard.isEmpty() || shard.equals(".") || shard.equals("..") || shard.matches("(?s).*[/\\\\\0].*")) {
                    throw new IllegalStateException("A shard is outside of its folder");
                }
            }
        } catch (SafetensorsFormatException refused) {
            // As it should be.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package io.tensorfabric.transfer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what with a published tensor. Immutable. A peer needs its right too: {@code PULL} to read, {@code PUBLISH} to write.
 *
 * @param readers node ids of peers that may read it; a star stands for any text
 * @param writers node ids of peers that may write into it, in place; a star stands for any text
 * @param onPut learns of what peers have put; {@code null} for nobody
 */
public record PublishOptions(
        List<String> readers,
        List<String> writers,
        @Nullable PutListener onPut) {

    private static final PublishOptions READABLE = new PublishOptions(List.of("*"), List.of(), null);

    /** Copies the lists. */
    public PublishOptions {
        readers = List.copyOf(readers);
        writers = List.copyOf(writers);
    }

    /** Every peer that has the right to pull may read it, nobody may write. */
    public static PublishOptions readable() {
        return READABLE;
    }

    /** The same for other readers; none for a tensor that peers only write. */
    public PublishOptions withReaders(String... nodeIds) {
        return new PublishOptions(List.of(nodeIds), writers, onPut);
    }

    /** The same with peers that may write. */
    public PublishOptions withWriters(String... nodeIds) {
        return new PublishOptions(readers, List.of(nodeIds), onPut);
    }

    /** The same with a listener that learns of what peers have put. */
    public PublishOptions withOnPut(PutListener listener) {
        return new PublishOptions(readers, writers, listener);
    }
}

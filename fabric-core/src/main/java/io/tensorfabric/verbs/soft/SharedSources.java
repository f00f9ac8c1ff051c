package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.SharedView;
import java.io.IOException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** Blocks of other processes that the responders of a device have mapped, each once. Thread-safe. */
final class SharedSources {

    private final Map<String, Source> sources = new HashMap<>();

    /** A mapped block; the fields are guarded by the lock of {@link SharedSources}. */
    static final class Source {

        private final String key;

        private final SharedView view;

        private int users;

        Source(String key, SharedView view) {
            this.key = key;
            this.view = view;
        }

        /** Where bytes of the block are, or 0 if they are not inside. */
        long locate(long offset, long length) {
            return offset >= 0 && length <= view.bytes() - offset ? view.address() + offset : 0;
        }
    }

    /** Maps a block for one more user. */
    synchronized Source open(long process, int descriptor, long bytes, byte[] token) throws IOException {
        String key = HexFormat.of().formatHex(token);
        Source source = sources.get(key);
        if (source == null) {
            source = new Source(key, SharedView.open(process, descriptor, bytes, token));
            sources.put(key, source);
        }
        source.users++;
        return source;
    }

    /** A user needs it no more. */
    synchronized void close(Source source) {
        source.users--;
        if (source.users == 0) {
            sources.remove(source.key);
            source.view.close();
        }
    }

    /** How many are mapped now. */
    synchronized int size() {
        return sources.size();
    }
}

package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.transfer.TensorListenerRegistry;
import io.tensorfabric.transfer.TensorReceiver;
import java.util.LinkedHashMap;
import java.util.Map;

/** Registrations without a fabric. */
final class FakeRegistry implements TensorListenerRegistry {

    /** By id, pattern of names and pattern of peers. */
    final Map<String, Entry> entries = new LinkedHashMap<>();

    TensorReceiver receiver(String key) {
        return entries.get(key).receiver;
    }

    @Override
    public Registration register(String id, String namePattern, String peerPattern, TensorReceiver receiver) {
        String key = id + " " + namePattern + " " + peerPattern;
        Entry entry = new Entry(key, receiver);
        entries.put(key, entry);
        return entry;
    }

    final class Entry implements Registration {

        private final String key;

        private final TensorReceiver receiver;

        boolean paused;

        Entry(String key, TensorReceiver receiver) {
            this.key = key;
            this.receiver = receiver;
        }

        @Override
        public void close() {
            entries.remove(key);
        }

        @Override
        public void pause() {
            paused = true;
        }

        @Override
        public void resume() {
            paused = false;
        }
    }
}

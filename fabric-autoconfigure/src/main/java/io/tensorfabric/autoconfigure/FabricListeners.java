package io.tensorfabric.autoconfigure;

import io.tensorfabric.transfer.TensorListenerRegistry;
import io.tensorfabric.transfer.TensorReceiver;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The registry that beans see: it takes listeners at any time, and hands them to the registry of the running fabric, at
 * each start anew. Thread-safe.
 */
final class FabricListeners implements TensorListenerRegistry {

    private final List<Entry> entries = new ArrayList<>();

    private @Nullable TensorListenerRegistry target;

    @Override
    public synchronized Registration register(
            String id, String namePattern, String peerPattern, TensorReceiver receiver) {
        Entry entry = new Entry(id, namePattern, peerPattern, receiver);
        entries.add(entry);
        entry.attach(target);
        return entry;
    }

    /** Hands all listeners to a registry; {@code null} takes them from it. */
    synchronized void attach(@Nullable TensorListenerRegistry registry) {
        target = registry;
        entries.forEach(entry -> entry.attach(registry));
    }

    private synchronized @Nullable Registration remove(Entry entry) {
        entries.remove(entry);
        Registration registration = entry.registration;
        entry.registration = null;
        return registration;
    }

    /** A listener, registered with the running fabric when there is one. */
    private final class Entry implements Registration {

        private final String id;

        private final String namePattern;

        private final String peerPattern;

        private final TensorReceiver receiver;

        private @Nullable Registration registration;

        private boolean paused;

        Entry(String id, String namePattern, String peerPattern, TensorReceiver receiver) {
            this.id = id;
            this.namePattern = namePattern;
            this.peerPattern = peerPattern;
            this.receiver = receiver;
        }

        private void attach(@Nullable TensorListenerRegistry registry) {
            registration = registry == null ? null : registry.register(id, namePattern, peerPattern, receiver);
            if (registration != null && paused) {
                registration.pause();
            }
        }

        @Override
        public void pause() {
            synchronized (FabricListeners.this) {
                paused = true;
                if (registration != null) {
                    registration.pause();
                }
            }
        }

        @Override
        public void resume() {
            synchronized (FabricListeners.this) {
                paused = false;
                if (registration != null) {
                    registration.resume();
                }
            }
        }

        @Override
        public void close() {
            Registration ending = remove(this);
            if (ending != null) {
                ending.close();
            }
        }
    }
}

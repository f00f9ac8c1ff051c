package io.tensorfabric.transfer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The registered listeners, in the order of their registration. Thread-safe. */
final class ListenerRegistry implements TensorListenerRegistry {

    /** Replaced, never changed: each arrival looks through them. */
    private volatile Listener[] listeners = {};

    /** Takes what no listener sees. */
    private final Listener preflight =
            new Listener("fabric-preflight", ReservedNames.PREFLIGHT + "*", "*", ReceivedTensor::close);

    @Override
    public Registration register(String id, String namePattern, String peerPattern, TensorReceiver receiver) {
        Listener listener = new Listener(id, namePattern, peerPattern, receiver);
        change(all -> all.add(listener));
        return listener;
    }

    private synchronized void change(Consumer<List<Listener>> step) {
        List<Listener> all = new ArrayList<>(Arrays.asList(listeners));
        step.accept(all);
        listeners = all.toArray(Listener[]::new);
    }

    /** The first listener whose patterns fit; reserved names never reach an application's. */
    @Nullable Listener find(String tensor, String peer) {
        if (ReservedNames.isReserved(tensor)) {
            return preflight;
        }
        for (Listener listener : listeners) {
            if (Glob.matches(listener.namePattern, tensor) && Glob.matches(listener.peerPattern, peer)) {
                return listener;
            }
        }
        return null;
    }

    /** A registered listener. */
    final class Listener implements Registration {

        private final String id;
        private final String namePattern;
        private final String peerPattern;
        private final TensorReceiver receiver;
        private final ListenerLog log = new ListenerLog();
        private final AtomicBoolean closed = new AtomicBoolean();
        private volatile boolean paused;

        Listener(String id, String namePattern, String peerPattern, TensorReceiver receiver) {
            this.id = Objects.requireNonNull(id, "id");
            this.namePattern = Objects.requireNonNull(namePattern, "namePattern");
            this.peerPattern = Objects.requireNonNull(peerPattern, "peerPattern");
            this.receiver = Objects.requireNonNull(receiver, "receiver");
        }

        String id() {
            return id;
        }

        /** For its failures. */
        ListenerLog log() {
            return log;
        }

        /** Hands a tensor over; false, with nothing done, if the registration has ended. */
        boolean receive(ReceivedTensor tensor) throws Exception {
            if (closed.get()) {
                return false;
            }
            receiver.receive(tensor);
            return true;
        }

        /** Whether it takes nothing now. */
        boolean isPaused() {
            return paused;
        }

        @Override
        public void pause() {
            paused = true;
        }

        @Override
        public void resume() {
            paused = false;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                change(all -> all.remove(this));
            }
        }

        @Override
        public String toString() {
            return "Listener[" + id + ", names " + namePattern + ", peers " + peerPattern + "]";
        }
    }
}

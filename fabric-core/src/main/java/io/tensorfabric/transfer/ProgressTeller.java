package io.tensorfabric.transfer;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells how far a push is, on callback threads. Thread-safe. */
final class ProgressTeller implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(ProgressTeller.class);

    private final Engine engine;

    private final Push push;

    private final PushProgress listener;

    private final AtomicBoolean due = new AtomicBoolean();

    /** Guarded by this. */
    private long told;

    ProgressTeller(Engine engine, Push push, PushProgress listener) {
        this.engine = engine;
        this.push = push;
        this.listener = listener;
    }

    /** There is something to tell; returns at once. */
    void placed() {
        if (due.compareAndSet(false, true)) {
            engine.callback(this);
        }
    }

    @Override
    public synchronized void run() {
        due.set(false);
        long placed = push.placed;
        if (placed <= told || push.isDecided()) {
            return;
        }
        told = placed;
        try {
            listener.placed(placed, push.bytes());
        } catch (RuntimeException e) {
            log.warn("A progress listener failed on {}", push, e);
        }
    }
}

package io.tensorfabric.memory.cuda;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import jcuda.driver.CUevent;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for events of one GPU on a thread of its own, which sleeps while there is none. What follows an event runs on that
 * thread and must not block. Thread-safe.
 */
final class CudaWatcher implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CudaWatcher.class);

    /** Between looks at events that are not reached: short against a copy, long against a look. */
    private static final long LOOK_NANOS = 20_000;

    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ConcurrentLinkedQueue<Watch> fresh = new ConcurrentLinkedQueue<>();

    private final Thread thread;

    private volatile boolean closing;

    /** What follows an event. */
    @FunctionalInterface
    interface Next {

        /**
         * The event was reached, is no longer wanted, or will not be reached.
         *
         * @param failure why not, or {@code null}
         */
        void reached(@Nullable RuntimeException failure);
    }

    /** An event, who waits, and whether that one no longer wants it. */
    private record Watch(CUevent event, BooleanSupplier unwanted, Next next) {}

    CudaWatcher(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Calls back when an event is reached, or soon after it is no longer wanted. */
    void watch(CUevent event, BooleanSupplier unwanted, Next next) {
        fresh.add(new Watch(event, unwanted, next));
        LockSupport.unpark(thread);
    }

    private void run() {
        List<Watch> watches = new ArrayList<>();
        while (!closing || !watches.isEmpty() || !fresh.isEmpty()) {
            for (Watch watch = fresh.poll(); watch != null; watch = fresh.poll()) {
                watches.add(watch);
            }
            boolean some = false;
            for (Iterator<Watch> all = watches.iterator(); all.hasNext(); ) {
                Watch watch = all.next();
                if (ended(watch)) {
                    all.remove();
                    some = true;
                }
            }
            if (watches.isEmpty() && fresh.isEmpty() && !closing) {
                LockSupport.park(this);
            } else if (!some) {
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
        }
    }

    private static boolean ended(Watch watch) {
        RuntimeException failure = null;
        if (!watch.unwanted().getAsBoolean()) {
            int code = CudaDriver.code(() -> JCudaDriver.cuEventQuery(watch.event()));
            if (code == CudaError.NOT_READY) {
                return false;
            }
            if (code != CudaError.SUCCESS) {
                failure = CudaDriver.failure("cuEventQuery", code, "work of the GPU that a transfer waits for");
            }
        }
        try {
            watch.next().reached(failure);
        } catch (RuntimeException e) {
            log.error("What follows an event of the GPU failed", e);
        }
        return true;
    }

    /** Ends the thread after all events, waiting for them at most 10 s. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            thread.join(TimeUnit.NANOSECONDS.toMillis(CLOSE_NANOS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            log.warn("Work of the GPU is still under way; its events and streams are left behind");
        }
    }

    boolean isIdle() {
        return !thread.isAlive();
    }
}

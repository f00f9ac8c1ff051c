package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One thread that serves sockets, tasks and timers. */
final class IoLoop implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(IoLoop.class);

    private static final long JOIN_MILLIS = 2_000;

    private final Selector selector;

    private final Thread thread;

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Of the loop's thread only. */
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();

    private volatile boolean stopping;

    private record Timer(long atNanos, Runnable action) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return Long.compare(atNanos - other.atNanos, 0);
        }
    }

    /** What is registered with the selector. */
    interface Handler {
        /** Serves the socket, which is ready for these operations; an exception closes it. */
        void ready(int operations) throws IOException;

        /** Closes the socket. */
        void close();
    }

    IoLoop(String name) {
        try {
            this.selector = Selector.open();
        } catch (IOException ex) {
            throw new UncheckedIOException("Cannot open a selector for " + name, ex);
        }
        this.thread = new Thread(this, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    Selector selector() {
        return selector;
    }

    /** Runs a task on the loop soon. */
    void execute(Runnable task) {
        tasks.add(task);
        wakeUp();
    }

    /** Runs a task on the loop at a {@link System#nanoTime()}. */
    void schedule(long atNanos, Runnable action) {
        if (Thread.currentThread() == thread) {
            timers.add(new Timer(atNanos, action));
        } else {
            execute(() -> timers.add(new Timer(atNanos, action)));
        }
    }

    /** Lets the loop notice closed sockets and changed interests. */
    void wakeUp() {
        if (Thread.currentThread() != thread) {
            selector.wakeup();
        }
    }

    @Override
    public void run() {
        while (!stopping) {
            try {
                turn();
            } catch (IOException | RuntimeException ex) {
                log.error("The loop {} failed and goes on", thread.getName(), ex);
            }
        }
        finish();
    }

    private void turn() throws IOException {
        long timeout = untilNextTimer();
        if (timeout == 0 || !tasks.isEmpty()) {
            selector.selectNow(this::serve);
        } else if (timeout < 0) {
            selector.select(this::serve);
        } else {
            selector.select(this::serve, timeout);
        }
        runTasks();
        if (!tasks.isEmpty()) {
            giveWay();
        }
        while (!timers.isEmpty() && timers.peek().atNanos() - System.nanoTime() <= 0) {
            runSafely(timers.remove().action());
        }
    }

    /**
     * There is mostly more of a large copy to do. Where processors are short, whoever waits for one would else get it only when
     * the time slice of this thread is over, which is milliseconds.
     */
    @SuppressWarnings("ThreadPriorityCheck") // Nothing but speed relies on it.
    private static void giveWay() {
        Thread.yield();
    }

    /** Those that are there now: what they add themselves, such as more of a large copy, waits for the sockets. */
    private void runTasks() {
        for (int left = tasks.size(); left > 0; left--) {
            Runnable task = tasks.poll();
            if (task == null) {
                return;
            }
            runSafely(task);
        }
    }

    /** Milliseconds, rounded up; -1 when there is no timer. */
    private long untilNextTimer() {
        Timer next = timers.peek();
        if (next == null) {
            return -1;
        }
        long nanos = next.atNanos() - System.nanoTime();
        return nanos <= 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(nanos + 999_999);
    }

    private void serve(SelectionKey key) {
        Handler handler = (Handler) key.attachment();
        try {
            handler.ready(key.readyOps());
        } catch (CancelledKeyException ex) {
            // Another thread has closed it in this moment.
            handler.close();
        } catch (IOException ex) {
            log.debug("A connection of {} ended: {}", thread.getName(), ex.toString());
            handler.close();
        } catch (RuntimeException | Error ex) {
            log.error("A connection of {} failed and is closed", thread.getName(), ex);
            handler.close();
        }
    }

    private void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error ex) {
            log.error("A task of {} failed", thread.getName(), ex);
        }
    }

    private void finish() {
        selector.keys().forEach(key -> ((Handler) key.attachment()).close());
        try {
            selector.close();
        } catch (IOException ex) {
            log.warn("Closing the selector of {} failed", thread.getName(), ex);
        }
    }

    /** Gives a loop up that was never started. */
    void discard() {
        finish();
    }

    /** Ends the thread and closes its sockets; waits a moment for that. */
    void stop() {
        stopping = true;
        selector.wakeup();
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            log.warn("{} did not end within {} ms", thread.getName(), JOIN_MILLIS);
        }
    }
}

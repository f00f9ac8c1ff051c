package io.tensorfabric.transfer;

import io.tensorfabric.transfer.TransferStatus.Direction;
import io.tensorfabric.transfer.TransferStatus.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts ended transfers, remembers the latest and tells observers. Thread-safe. */
final class TransferLog {

    private static final Logger log = LoggerFactory.getLogger(TransferLog.class);

    private final LongAdder pushed = new LongAdder();
    private final LongAdder pushedBytes = new LongAdder();
    private final LongAdder pulled = new LongAdder();
    private final LongAdder pulledBytes = new LongAdder();
    private final LongAdder pushFailures = new LongAdder();
    private final LongAdder pushesCancelled = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final LongAdder receivedBytes = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder listenerFailures = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final LongAdder openTensors = new LongAdder();
    private volatile TransferObserver[] observers = {};
    private final Ended[] ring;
    private long total;

    /** A slot of the ring, overwritten in place: a steady stream of transfers leaves no garbage here. */
    private static final class Ended {
        private long transferId;
        private Direction direction = Direction.OUT;
        private String peer = "";
        private String tensor = "";
        private long bytes;
        private long placedBytes;
        private State state = State.DONE;
        private long startedMillis;
        private long endedMillis;
        private @Nullable String error;
        private @Nullable TransferPath path;

        TransferStatus status() {
            return new TransferStatus(
                    transferId,
                    direction,
                    peer,
                    tensor,
                    bytes,
                    placedBytes,
                    state,
                    Instant.ofEpochMilli(startedMillis),
                    Instant.ofEpochMilli(endedMillis),
                    error,
                    path);
        }
    }

    TransferLog(int history) {
        ring = new Ended[history];
        for (int i = 0; i < history; i++) {
            ring[i] = new Ended();
        }
    }

    synchronized void add(TransferObserver observer) {
        List<TransferObserver> all = new ArrayList<>(Arrays.asList(observers));
        all.add(observer);
        observers = all.toArray(TransferObserver[]::new);
    }

    synchronized void remove(TransferObserver observer) {
        List<TransferObserver> all = new ArrayList<>(Arrays.asList(observers));
        all.remove(observer);
        observers = all.toArray(TransferObserver[]::new);
    }

    void ended(
            long transferId,
            Direction direction,
            String peer,
            String tensor,
            long bytes,
            long placedBytes,
            State state,
            long startedMillis,
            long elapsedNanos,
            @Nullable String error,
            @Nullable TransferPath path) {
        count(direction, state, bytes);
        long endedMillis = System.currentTimeMillis();
        if (ring.length > 0) {
            synchronized (ring) {
                Ended slot = ring[(int) (total++ % ring.length)];
                slot.transferId = transferId;
                slot.direction = direction;
                slot.peer = peer;
                slot.tensor = tensor;
                slot.bytes = bytes;
                slot.placedBytes = placedBytes;
                slot.state = state;
                slot.startedMillis = startedMillis;
                slot.endedMillis = endedMillis;
                slot.error = error;
                slot.path = path;
            }
        }
        TransferObserver[] told = observers;
        if (told.length == 0) {
            return;
        }
        TransferPath used = path == null ? TransferPath.NONE : path;
        boolean wanted = false;
        for (TransferObserver observer : told) {
            wanted |= tellCount(observer, direction, state, used, bytes, elapsedNanos);
        }
        if (wanted) {
            TransferStatus status = new TransferStatus(
                    transferId,
                    direction,
                    peer,
                    tensor,
                    bytes,
                    placedBytes,
                    state,
                    Instant.ofEpochMilli(startedMillis),
                    Instant.ofEpochMilli(endedMillis),
                    error,
                    path);
            tell(told, status, Duration.ofNanos(elapsedNanos));
        }
    }

    private void count(Direction direction, State state, long bytes) {
        if (direction == Direction.IN) {
            // Failures of receiving are counted by their kind where they happen.
            if (state == State.DONE) {
                received.increment();
                receivedBytes.add(bytes);
            }
        } else if (state == State.DONE && direction == Direction.PULL) {
            pulled.increment();
            pulledBytes.add(bytes);
        } else if (state == State.DONE) {
            pushed.increment();
            pushedBytes.add(bytes);
        } else if (state == State.CANCELLED) {
            pushesCancelled.increment();
        } else {
            pushFailures.increment();
        }
    }

    /** Whether it wants to know more. */
    private static boolean tellCount(
            TransferObserver observer, Direction direction, State state, TransferPath path, long bytes, long nanos) {
        try {
            observer.transferCounted(direction, state, path, bytes, nanos);
            return observer.wantsStatus(state);
        } catch (RuntimeException e) {
            log.warn("An observer of transfers failed", e);
            return true;
        }
    }

    private static void tell(TransferObserver[] observers, TransferStatus status, Duration elapsed) {
        for (TransferObserver observer : observers) {
            try {
                if (observer.wantsStatus(status.state())) {
                    observer.transferEnded(status, elapsed);
                }
            } catch (RuntimeException e) {
                log.warn("An observer of transfers failed", e);
            }
        }
    }

    /** @param backoff nanoseconds until the next attempt */
    void retried(Push push, Throwable cause, long backoff) {
        retries.increment();
        if (log.isDebugEnabled()) {
            long millis = TimeUnit.NANOSECONDS.toMillis(backoff);
            log.debug("{} is tried again in {} ms, for attempt {} failed", push, millis, push.attempt(), cause);
        }
    }

    void rejected() {
        rejected.increment();
    }

    void listenerFailed() {
        listenerFailures.increment();
    }

    void duplicate() {
        duplicates.increment();
    }

    void tensorOpened() {
        openTensors.increment();
    }

    void tensorClosed() {
        openTensors.decrement();
    }

    /** Appends the ended transfers, newest first. */
    void copyTo(List<TransferStatus> target) {
        synchronized (ring) {
            long kept = Math.min(total, ring.length);
            for (long i = 1; i <= kept; i++) {
                target.add(ring[(int) ((total - i) % ring.length)].status());
            }
        }
    }

    TransferStatistics statistics(long pushesInFlight) {
        return new TransferStatistics(
                pushed.sum(),
                pushedBytes.sum(),
                pushFailures.sum(),
                pushesCancelled.sum(),
                retries.sum(),
                received.sum(),
                receivedBytes.sum(),
                rejected.sum(),
                listenerFailures.sum(),
                duplicates.sum(),
                pushesInFlight,
                openTensors.sum(),
                pulled.sum(),
                pulledBytes.sum());
    }
}

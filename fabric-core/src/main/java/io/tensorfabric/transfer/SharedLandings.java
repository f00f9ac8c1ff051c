package io.tensorfabric.transfer;

import io.tensorfabric.connection.SharedMemoryRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Memory that peers may still have open after their connection is down. Thread-safe. */
final class SharedLandings extends DeadlineWheel.Entry {

    private static final Logger log = LoggerFactory.getLogger(SharedLandings.class);

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Engine engine;

    private final Set<SharedLanding> waiting = new HashSet<>();

    private boolean armed;

    SharedLandings(Engine engine) {
        this.engine = engine;
    }

    /** It is not used here, but a peer may have it open. */
    void await(SharedLanding landing) {
        synchronized (this) {
            waiting.add(landing);
        }
        look();
    }

    synchronized void forget(SharedLanding landing) {
        waiting.remove(landing);
    }

    /** Memory that waits for its peer, in bytes. */
    synchronized long bytes() {
        return waiting.stream().mapToLong(SharedLanding::length).sum();
    }

    /** The same for one peer. */
    synchronized long bytesOf(String nodeId) {
        return waiting.stream()
                .filter(landing -> landing.peerNodeId().equals(nodeId))
                .mapToLong(SharedLanding::length)
                .sum();
    }

    /** A process says what it has open, which ends all else. */
    void told(SharedMemoryRequest request) {
        List<Long> open = request.open();
        if (open == null) {
            return;
        }
        for (SharedLanding landing : copy()) {
            if (landing.isOf(request) && !open.contains(landing.token())) {
                free(landing);
            }
        }
    }

    private synchronized List<SharedLanding> copy() {
        return List.copyOf(waiting);
    }

    private static void free(SharedLanding landing) {
        try {
            landing.closedByPeer();
        } catch (RuntimeException e) {
            log.error("{} cannot be freed", landing, e);
        }
    }

    private void look() {
        for (SharedLanding landing : copy()) {
            if (landing.openerHasEnded()) {
                free(landing);
            }
        }
        synchronized (this) {
            if (waiting.isEmpty() || armed || engine.isStopped()) {
                return;
            }
            armed = true;
        }
        engine.wheel().arm(this, LOOK_NANOS);
    }

    @Override
    void expired() {
        synchronized (this) {
            armed = false;
        }
        engine.cleanUp(this::look);
    }
}

package io.tensorfabric.autoconfigure.discovery;

import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.PeerDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The peers of the properties, and those that sources know. A source that does not answer keeps its peers; of two peers with
 * one name that of the properties counts, then that of the earlier source. Nobody who looks up a peer waits for a source.
 * Thread-safe.
 */
final class DiscoveredPeers implements PeerDirectory, SmartLifecycle {

    /** Starts before the fabric, so that it knows its peers from the first push on. */
    static final int PHASE = FabricLifecycle.PHASE - 1;

    private static final Logger logger = LoggerFactory.getLogger(DiscoveredPeers.class);

    private final PeerDirectory configured;

    private final List<SourceWatch> watches = new ArrayList<>();

    private final Duration interval;

    private final Duration firstWait;

    private final Object merging = new Object();

    private volatile Map<String, Peer> peers;

    private @Nullable ScheduledExecutorService threads;

    /**
     * Makes a directory that asks nobody before it is started.
     *
     * @param interval time between two questions to a source
     * @param firstWait how long the start waits for all first answers
     */
    DiscoveredPeers(
            PeerDirectory configured, List<PeerSource> sources, String ownName, Duration interval, Duration firstWait) {
        this.configured = configured;
        this.interval = interval;
        this.firstWait = firstWait;
        sources.forEach(source -> watches.add(new SourceWatch(source, ownName)));
        this.peers = merge();
    }

    @Override
    public @Nullable Peer find(String name) {
        return peers.get(name);
    }

    @Override
    public List<Peer> peers() {
        return List.copyOf(peers.values());
    }

    /** What each source answered. */
    List<PeerSourceStatus> sources() {
        return watches.stream().map(SourceWatch::status).toList();
    }

    private void ask(SourceWatch watch) {
        if (watch.ask()) {
            synchronized (merging) {
                peers = merge();
            }
        }
    }

    private Map<String, Peer> merge() {
        Map<String, Peer> merged = new LinkedHashMap<>();
        configured.peers().forEach(peer -> merged.put(peer.name(), peer));
        for (SourceWatch watch : watches) {
            for (Peer peer : watch.peers()) {
                Peer other = merged.putIfAbsent(peer.name(), peer);
                if (other != null && !other.equals(peer)) {
                    logger.debug(
                            "Two peers are called {}: {} counts, that of {} does not",
                            peer.name(),
                            other.uri(),
                            watch.description());
                }
            }
        }
        return merged;
    }

    @Override
    public void start() {
        CountDownLatch first = new CountDownLatch(watches.size());
        if (begin(first)) {
            awaitFirst(first);
        }
    }

    private synchronized boolean begin(CountDownLatch first) {
        if (threads != null || watches.isEmpty()) {
            return false;
        }
        AtomicInteger number = new AtomicInteger();
        ScheduledExecutorService started = Executors.newScheduledThreadPool(watches.size(), task -> {
            Thread thread = new Thread(task, "fabric-discovery-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        threads = started;
        for (SourceWatch watch : watches) {
            Runnable turn = () -> {
                ask(watch);
                first.countDown();
            };
            started.scheduleWithFixedDelay(turn, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
        }
        return true;
    }

    private void awaitFirst(CountDownLatch first) {
        try {
            if (!first.await(firstWait.toMillis(), TimeUnit.MILLISECONDS)) {
                logger.info("Not all sources of peers have answered yet; starting without what they know");
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void stop() {
        ScheduledExecutorService ending = threads;
        threads = null;
        if (ending != null) {
            ending.shutdownNow();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return threads != null;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}

package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.ConnectionListener;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.transfer.TransferObserver;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the fabric before the web server, so that it can answer peers from their first call on, and ends it after the web
 * server has drained. No device is touched before the start. Thread-safe.
 */
public final class FabricLifecycle implements SmartLifecycle {

    /** Below the web server's {@code Integer.MAX_VALUE - 2048}: starts before it and stops after it. */
    public static final int PHASE = Integer.MAX_VALUE - 4096;

    private static final Logger logger = LoggerFactory.getLogger(FabricLifecycle.class);

    private final FabricNodeFactory factory;

    private final NodeIdentity identity;

    private final FabricListeners listeners;

    private final Followers followers;

    private final Duration shutdownTimeout;

    private volatile @Nullable FabricNode node;

    private boolean startedBefore;

    FabricLifecycle(
            FabricNodeFactory factory,
            NodeIdentity identity,
            FabricListeners listeners,
            Followers followers,
            Duration shutdownTimeout) {
        this.factory = factory;
        this.identity = identity;
        this.listeners = listeners;
        this.followers = followers;
        this.shutdownTimeout = shutdownTimeout;
    }

    /**
     * Beans that follow what happens.
     *
     * @param transfers follow transfers
     * @param connections follow connections
     */
    record Followers(List<TransferObserver> transfers, List<ConnectionListener> connections) {}

    /** The running fabric, or {@code null} before the start and after the end. */
    public @Nullable FabricNode node() {
        return node;
    }

    /**
     * The running fabric.
     *
     * @throws IllegalStateException before the start and after the end
     */
    public FabricNode requireNode() {
        FabricNode current = node;
        if (current == null) {
            throw new IllegalStateException("The fabric is not running: it starts when the application context is"
                    + " complete, after constructors, @PostConstruct and bean methods, and ends with the context");
        }
        return current;
    }

    @Override
    public synchronized void start() {
        if (node != null) {
            return;
        }
        FabricNode started = factory.open(nextIdentity());
        followers.transfers().forEach(started.transfers()::addObserver);
        followers.connections().forEach(started.connections()::addListener);
        listeners.attach(started.transfers());
        started.transfers().start();
        started.connections().start();
        node = started;
        tell(started);
    }

    /** Each start is another incarnation: peers must not take it for the one that they were connected to. */
    private NodeIdentity nextIdentity() {
        if (!startedBefore) {
            startedBefore = true;
            return identity;
        }
        return new NodeIdentity(identity.nodeId(), UUID.randomUUID().toString());
    }

    private static void tell(FabricNode started) {
        if (started.providerIsFallback()) {
            logger.atLevel(started.providerIsSurprising() ? Level.WARN : Level.INFO)
                    .log(
                            "The software device is in use, because {}. Transfers work, at the speed of TCP or shared memory",
                            started.providerReason());
        } else {
            logger.info("Provider {} is in use, because {}", started.providerName(), started.providerReason());
        }
        logger.info(
                "Fabric node {} is ready: provider {}, {}, host pool up to {} MiB in slabs of {} MiB, {}",
                started.connections().identity().nodeId(),
                started.providerName(),
                PathText.describe(started.device()),
                started.hostPool().options().maxBytes() >> 20,
                started.hostPool().options().slabSize() >> 20,
                started.hostPool().pages());
        logger.info("{}", started.gpus().describe());
        started.otherWarnings().forEach(warning -> logger.warn("{}", warning));
    }

    @Override
    public void stop() {
        FabricNode ending;
        synchronized (this) {
            ending = node;
            node = null;
        }
        if (ending == null) {
            return;
        }
        Duration part = shutdownTimeout.dividedBy(5);
        ending.close(part.multipliedBy(3), part);
        listeners.attach(null);
        followers.transfers().forEach(ending.transfers()::removeObserver);
        followers.connections().forEach(ending.connections()::removeListener);
    }

    /** On a thread of its own, so that the context's own deadline for this phase holds whatever the device does. */
    @Override
    public void stop(Runnable callback) {
        Thread thread = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "fabric-stop");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public boolean isRunning() {
        return node != null;
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

package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the parts of transfers share: options, memory, threads, links. Thread-safe. */
final class Engine {

    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    /** Threads for what blocks: registering memory, waiting for the pool, asking for zones. */
    private static final int BLOCKING_THREADS = 16;

    private final TransferOptions options;
    private final PeerResilience resilience;
    private final TransferMemory memory;
    private final LandingChoice landing;
    private final SharedLandings landings = new SharedLandings(this);
    private final OpenedZones opened = new OpenedZones();
    private final Function<String, CompletableFuture<Connection>> connector;
    private final DeadlineWheel wheel = new DeadlineWheel("fabric-transfer-timer");
    private final Pushes pushes = new Pushes();
    private final PushSources sources = new PushSources(this);
    private final ListenerRegistry listeners = new ListenerRegistry();
    private final PublishedRegions published = new PublishedRegions(this);
    private final TransferLog transferLog;
    private final SenderLedgers ledgers;
    private final DedicatedBudget budget;
    private final Inbox inbox;
    private final TaskQueue callbackQueue = new TaskQueue();
    private final ThreadPoolExecutor callbacks;
    private final ThreadPoolExecutor blocking;
    private final ThreadPoolExecutor puts;
    private final Map<Connection, PeerLink> links = new ConcurrentHashMap<>();
    private final Map<String, PeerChannel> channels = new ConcurrentHashMap<>();

    /** Ended pushes whose registration could not be closed, which keeps their tensors held. */
    private final Queue<Push> unreturned = new ConcurrentLinkedQueue<>();

    private volatile boolean quiescing;
    private volatile boolean closing;
    private volatile boolean stopped;

    Engine(
            TransferOptions options,
            PeerResilience resilience,
            TransferMemory memory,
            Function<String, CompletableFuture<Connection>> connector) {
        this.options = options;
        this.resilience = resilience;
        this.memory = memory;
        this.landing = new LandingChoice(memory.gpus(), options.landingChoice());
        this.connector = connector;
        this.transferLog = new TransferLog(options.history());
        this.ledgers = new SenderLedgers(options.dedupeWindow());
        this.budget = new DedicatedBudget(options.maxDedicatedBytes());
        this.inbox = new Inbox(
                threads("fabric-listener", options.listenerThreads(), new TaskQueue()),
                options.listenerThreads(),
                options.listenerThreadsPerPeer(),
                options.listenerQueue());
        this.callbacks = threads("fabric-callback", options.callbackThreads(), callbackQueue);
        this.blocking = threads("fabric-transfer", BLOCKING_THREADS, new TaskQueue());
        this.puts = threads("fabric-put", options.listenerThreadsPerPeer(), new TaskQueue());
    }

    private static ThreadPoolExecutor threads(String name, int count, TaskQueue queue) {
        AtomicInteger number = new AtomicInteger();
        ThreadFactory factory = task -> {
            Thread thread = new Worker(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
        ThreadPoolExecutor executor = new ThreadPoolExecutor(count, count, 30, TimeUnit.SECONDS, queue, factory);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** A thread of an engine, which must not wait for itself when its task ends the engine. */
    private static final class Worker extends Thread {
        Worker(Runnable task, String name) {
            super(task, name);
        }
    }

    TransferOptions options() {
        return options;
    }

    PeerResilience resilience() {
        return resilience;
    }

    TransferMemory memory() {
        return memory;
    }

    /** Where tensors land here. */
    LandingChoice landing() {
        return landing;
    }

    /** Memory of this node that peers on this host have open. */
    SharedLandings landings() {
        return landings;
    }

    /** What this node has open of them. */
    OpenedZones opened() {
        return opened;
    }

    DeadlineWheel wheel() {
        return wheel;
    }

    Pushes pushes() {
        return pushes;
    }

    PushSources sources() {
        return sources;
    }

    ListenerRegistry listeners() {
        return listeners;
    }

    /** What this node publishes. */
    PublishedRegions published() {
        return published;
    }

    /** Threads for the listeners of published tensors. */
    Executor puts() {
        return puts;
    }

    TransferLog log() {
        return transferLog;
    }

    SenderLedgers ledgers() {
        return ledgers;
    }

    DedicatedBudget budget() {
        return budget;
    }

    Inbox inbox() {
        return inbox;
    }

    /** Whether tensors of peers are refused. */
    boolean refusesArrivals() {
        return quiescing || closing;
    }

    void startQuiescing() {
        quiescing = true;
        closeGroups();
    }

    /** What waits for others of its group would wait in vain, since those are refused from now on. */
    private void closeGroups() {
        links.values().forEach(link -> link.receiver().groups().close(Inbox.SHUTTING_DOWN));
    }

    boolean isClosing() {
        return closing;
    }

    /** New work is refused from now on. */
    void startClosing() {
        closing = true;
        closeGroups();
    }

    boolean isStopped() {
        return stopped;
    }

    /** Work under way is not continued from now on. */
    void startStopping() {
        stopped = true;
    }

    CompletableFuture<Connection> connect(String peer) {
        return connector.apply(peer);
    }

    /** Runs the end of a push, never on the calling thread. */
    void callback(Runnable task) {
        try {
            callbacks.execute(task);
        } catch (RejectedExecutionException e) {
            // The node is closed, and this push ended late.
            ForkJoinPool.commonPool().execute(task);
        }
    }

    /** Runs the ends of pushes, of which there is at least one, never on the calling thread. */
    void callbacks(List<Push> ended) {
        callback(ended.get(0));
        if (ended.size() > 1) {
            callbackQueue.offerAll(ended, 1);
            // The first one's callback may block its thread, and there may be no other yet.
            callbacks.prestartCoreThread();
            if (callbacks.isShutdown()) {
                for (int i = 1; i < ended.size(); i++) {
                    runLate(ended.get(i));
                }
            }
        }
    }

    /** Its threads may have ended before they saw it. */
    private void runLate(Push push) {
        if (callbackQueue.remove(push)) {
            ForkJoinPool.commonPool().execute(push);
        }
    }

    /**
     * Runs what may block.
     *
     * @throws RejectedExecutionException if the node is closed
     */
    void blocking(Runnable task) {
        blocking.execute(task);
    }

    /** Runs a clean-up that may block, whatever the state of the node. */
    void cleanUp(Runnable task) {
        try {
            blocking.execute(task);
        } catch (RejectedExecutionException e) {
            ForkJoinPool.commonPool().execute(task);
        }
    }

    /** Gives back all that a push held; on a callback thread. */
    void cleanUp(Push push, PeerChannel channel) {
        if (closeSource(push)) {
            releaseTensor(push);
        } else {
            unreturned.add(push);
        }
        pushes.remove(push);
        channel.finished(push);
    }

    /** False if the device does not let go of the memory, which must then not be freed. */
    private static boolean closeSource(Push push) {
        try {
            push.source.close();
            return true;
        } catch (RuntimeException e) {
            log.error("{}: its memory cannot be deregistered, and is kept until it can", push, e);
            return false;
        }
    }

    private static void releaseTensor(Push push) {
        try {
            push.tensor().release();
        } catch (RuntimeException e) {
            log.error("{}: the owner of its tensor failed to take the memory back", push, e);
        }
    }

    /** Tries again to give back what could not be. */
    void retryCleanUps() {
        for (int left = unreturned.size(); left > 0; left--) {
            Push push = unreturned.poll();
            if (push != null && closeSource(push)) {
                releaseTensor(push);
            } else if (push != null) {
                unreturned.add(push);
            }
        }
    }

    PeerChannel channel(String peer) {
        PeerChannel channel = channels.get(peer);
        return channel != null
                ? channel
                : channels.computeIfAbsent(peer, name -> new PeerChannel(this, name, new PeerGuard(resilience, name)));
    }

    /** Forgets the channel of a name that is no peer's. */
    void forget(PeerChannel channel) {
        if (channels.remove(channel.name(), channel)) {
            resilience.forget(channel.name());
        }
    }

    PeerLink openLink(Connection connection) {
        return links.computeIfAbsent(connection, fresh -> new PeerLink(this, fresh));
    }

    @Nullable PeerLink link(Connection connection) {
        return links.get(connection);
    }

    /** A usable link to a peer by its name or node id. */
    @Nullable PeerLink findLink(String peer) {
        for (PeerLink link : links.values()) {
            if (link.isUp() && (link.peerName().equals(peer) || link.nodeId().equals(peer))) {
                return link;
            }
        }
        return null;
    }

    List<CudaIpcStatus> cudaIpc() {
        List<CudaIpcStatus> all = new ArrayList<>();
        links.values().forEach(link -> all.addAll(link.sender().ipc().status()));
        return all;
    }

    void closeLink(Connection connection) {
        PeerLink link = links.remove(connection);
        if (link != null) {
            link.down();
            channels.values().forEach(channel -> channel.unlink(link, connection.failure()));
        }
    }

    /** The failures of all peers may have been this node's own. */
    void pathChanged() {
        channels.values().forEach(channel -> channel.guard().connected());
    }

    /** A link is up: channels that gave its peer up may use it. */
    void linkUp(PeerLink link) {
        for (PeerChannel channel : channels.values()) {
            if (channel.name().equals(link.peerName()) || channel.name().equals(link.nodeId())) {
                channel.guard().connected();
            }
        }
    }

    /** Asks all peers for the dedicated zones that they have not used for some time; false if there are none. */
    boolean askIdleZonesBack(long nanos) {
        boolean asked = false;
        for (PeerLink link : links.values()) {
            asked |= link.receiver().askIdleBack(nanos);
        }
        return asked;
    }

    /**
     * Ends all threads. The futures of ended pushes complete before it returns, unless a user's callback takes longer than
     * the patience: it goes on then.
     *
     * @return whether the caller was interrupted
     */
    boolean stop(Duration patience) {
        retryCleanUps();
        wheel.close();
        blocking.shutdown();
        puts.shutdownNow();
        callbacks.shutdown();
        try {
            boolean ended = Thread.currentThread() instanceof Worker
                    || callbacks.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (!ended) {
                log.warn("Callbacks of pushes still run; they are left behind");
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }
}

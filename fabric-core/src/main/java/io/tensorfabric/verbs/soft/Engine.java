package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.SharedBlock;
import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An open device: its threads, its listener and everything that its objects share. Thread-safe. */
final class Engine {

    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    private static final int NUMBER_MASK = 0xffffff;

    /** 0 and 1 belong to management on InfiniBand. */
    private static final int FIRST_NUMBER = 2;

    private final SoftDeviceOptions options;

    private final KeyTable keys = new KeyTable();

    private final SharingControl sharingControl = new SharingControl();

    private final SharedSources sharedSources = new SharedSources();

    /** Bytes that were copied from the shared memory of requesters. */
    private final LongAdder sharedBytes = new LongAdder();

    private final Attention attention = new Attention();

    private final AsyncEvents events = new AsyncEvents();

    private final Ports ports;

    private final Acceptor acceptor;

    private final List<IoLoop> loops = new ArrayList<>();

    private final AtomicInteger senderTurn = new AtomicInteger();

    private final AtomicInteger receiverTurn = new AtomicInteger();

    private final Map<Integer, Pair> pairs = new ConcurrentHashMap<>();

    private final Map<Long, Window> windows = new ConcurrentHashMap<>();

    private final Set<CompletionRing> completionRings = ConcurrentHashMap.newKeySet();

    private final AtomicLong ids = new AtomicLong();

    private final AtomicInteger numbers = new AtomicInteger(new SecureRandom().nextInt() & NUMBER_MASK);

    private final Quota domainQuota;

    private final Quota regionQuota;

    private final Quota windowQuota;

    private final Quota queueQuota;

    private final Quota sharedQuota;

    private final Quota pairQuota;

    Engine(SoftDeviceOptions options) {
        Handshake.warmUp();
        this.options = options;
        this.ports = new Ports(this, options);
        this.domainQuota = new Quota("protection domains", "ibv_alloc_pd", options.maxProtectionDomains());
        this.regionQuota = new Quota("memory regions", "ibv_reg_mr", options.maxMemoryRegions());
        this.windowQuota = new Quota("memory windows", "ibv_alloc_mw", options.maxMemoryWindows());
        this.queueQuota = new Quota("completion queues", "ibv_create_cq", options.maxCompletionQueues());
        this.sharedQuota = new Quota("shared receive queues", "ibv_create_srq", options.maxSharedReceiveQueues());
        this.pairQuota = new Quota("queue pairs", "ibv_create_qp", options.maxQueuePairs());
        this.acceptor = new Acceptor(this, options);
        try {
            for (int i = 0; i < options.ioThreads(); i++) {
                loops.add(new IoLoop("fabric-soft-" + options.name() + "-io-" + i));
            }
        } catch (UncheckedIOException ex) {
            acceptor.close();
            loops.forEach(IoLoop::discard);
            throw new VerbsException(
                    "ibv_open_device", Errno.ENOMEM, options.name() + ": " + ex.getMessage() + ", " + ex.getCause());
        }
        acceptor.register(loops.get(0));
        loops.forEach(IoLoop::start);
        options.faults().attach(this);
    }

    SoftDeviceOptions options() {
        return options;
    }

    SoftFaults faults() {
        return options.faults();
    }

    KeyTable keys() {
        return keys;
    }

    SharingControl sharingControl() {
        return sharingControl;
    }

    SharedSources sharedSources() {
        return sharedSources;
    }

    LongAdder sharedBytes() {
        return sharedBytes;
    }

    Attention attention() {
        return attention;
    }

    AsyncEvents events() {
        return events;
    }

    Ports ports() {
        return ports;
    }

    Quota domainQuota() {
        return domainQuota;
    }

    Quota regionQuota() {
        return regionQuota;
    }

    Quota windowQuota() {
        return windowQuota;
    }

    Quota queueQuota() {
        return queueQuota;
    }

    Quota sharedQuota() {
        return sharedQuota;
    }

    Quota pairQuota() {
        return pairQuota;
    }

    /** A number for the name of an object. */
    long nextId() {
        return ids.incrementAndGet();
    }

    /** The loop of a queue pair that sends. */
    IoLoop nextSender() {
        return next(senderTurn);
    }

    /**
     * The loop of a connection that receives. These take turns of their own: the lanes of a peer, which mostly come one after
     * the other, are to be copied by different threads however many of the queue pairs here were made in between.
     */
    IoLoop nextReceiver() {
        return next(receiverTurn);
    }

    private IoLoop next(AtomicInteger turn) {
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    InetSocketAddress endpoint() {
        return new InetSocketAddress(options.advertisedAddress(), acceptor.port());
    }

    /** Makes a queue pair with a number of its own. */
    Pair addPair(Pair.Parts parts) {
        while (true) {
            int number = numbers.getAndIncrement() & NUMBER_MASK;
            if (number >= FIRST_NUMBER && !pairs.containsKey(number)) {
                Pair pair = new Pair(this, number, parts);
                if (pairs.putIfAbsent(number, pair) == null) {
                    return pair;
                }
                pair.destroy();
            }
        }
    }

    @Nullable Pair pair(int number) {
        return pairs.get(number);
    }

    void removePair(Pair pair) {
        pairs.remove(pair.number());
    }

    void addWindow(long id, Window window) {
        windows.put(id, window);
    }

    void removeWindow(long id) {
        windows.remove(id);
    }

    @Nullable Window window(long id) {
        return windows.get(id);
    }

    void forgetWindows(Pair pair) {
        windows.values().forEach(window -> window.forget(pair));
    }

    void addCompletionRing(CompletionRing ring) {
        completionRings.add(ring);
    }

    void removeCompletionRing(CompletionRing ring) {
        completionRings.remove(ring);
    }

    /** Begins to connect to the peer of a queue pair; {@code null} when that is not possible at the moment. */
    @Nullable RequesterLink dial(Pair pair) {
        SoftAddress peer = pair.config().peer();
        if (peer == null || pair.refusesConnections()) {
            return null;
        }
        try {
            RequesterLink link = new RequesterLink(pair.loop(), pair, peer);
            pair.loop().execute(link::connect);
            return link;
        } catch (IOException ex) {
            log.warn("Queue pair {} cannot open a socket, and tries again: {}", pair.number(), ex.toString());
            return null;
        }
    }

    /** Calls a ring later to let kept completions go. */
    void scheduleRelease(CompletionRing ring, long atNanos) {
        loops.get(0).schedule(atNanos, ring::release);
    }

    /** A completion queue has lost completions: its queue pairs cannot be used any more. */
    void completionQueueOverrun(CompletionRing ring) {
        CompletionQueue handle = ring.handle();
        if (handle != null) {
            events.add(AsyncEventType.CQ_ERR, handle, 0);
        }
        // Later: who pushed holds locks of a queue pair.
        loops.get(0)
                .execute(() ->
                        pairs.values().stream().filter(pair -> pair.uses(ring)).forEach(Pair::enterErrorForOverrun));
    }

    /** Something that held traffic back may have ended. */
    void faultsChanged() {
        loops.get(0).execute(() -> {
            pairs.values().forEach(Pair::resume);
            completionRings.stream().filter(CompletionRing::isKeeping).forEach(CompletionRing::release);
        });
    }

    void cutPort(int port) {
        pairs.values().stream().filter(pair -> pair.config().port() == port).forEach(Pair::cut);
    }

    void disconnectAll() {
        pairs.values().forEach(Pair::cut);
    }

    /** Ends all threads and waits; nothing uses the device any more. */
    void close() {
        options.faults().detach(this);
        acceptor.close();
        events.close();
        loops.forEach(IoLoop::stop);
        sharingControl.close();
    }

    /** A region of shared memory ends: nobody may read it any more. */
    void endSharing(SharedBlock block) {
        pairs.values().forEach(pair -> pair.requester().endSharing(block));
    }
}

package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairAttribute;
import io.tensorfabric.verbs.QueuePairAttributes;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.QueuePairTransitions;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.WorkCompletionOpcode;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The device's side of a queue pair: its state and what both halves share. The send lock guards the requester, the
 * receive lock the responder; who needs both takes the send lock first. Locks of receive queues, completion queues and
 * event queues come after them.
 */
final class Pair {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final ReentrantLock sendLock = new ReentrantLock();

    private final ReentrantLock receiveLock = new ReentrantLock();

    private final byte[] secret = Handshake.newSecret();

    private final Engine engine;

    private final IoLoop loop;

    private final int number;

    private final Object domain;

    private final CompletionRing sendCompletions;

    private final CompletionRing receiveCompletions;

    private final ReceiveRing receives;

    private final boolean sharedReceives;

    private final Requester requester;

    private final Responder responder;

    private volatile QueuePairState state = QueuePairState.RESET;

    private volatile PairConfig config = PairConfig.EMPTY;

    private volatile long epoch;

    private boolean drainAnnounced;

    private WeakReference<QueuePair> handle = new WeakReference<>(null);

    /** What a queue pair is made of. */
    record Parts(
            Object domain,
            CompletionRing sendCompletions,
            CompletionRing receiveCompletions,
            ReceiveRing receives,
            boolean sharedReceives,
            int sendCapacity,
            int maxInline,
            boolean signalAll) {}

    Pair(Engine engine, int number, Parts parts) {
        this.engine = engine;
        this.loop = engine.nextSender();
        this.number = number;
        this.domain = parts.domain();
        this.sendCompletions = parts.sendCompletions();
        this.receiveCompletions = parts.receiveCompletions();
        this.receives = parts.receives();
        this.sharedReceives = parts.sharedReceives();
        this.requester = new Requester(this, parts.sendCapacity(), parts.maxInline(), parts.signalAll());
        this.responder = new Responder(this);
    }

    void handle(QueuePair value) {
        handle = new WeakReference<>(value);
    }

    Engine engine() {
        return engine;
    }

    IoLoop loop() {
        return loop;
    }

    int number() {
        return number;
    }

    Object domain() {
        return domain;
    }

    CompletionRing sendCompletions() {
        return sendCompletions;
    }

    CompletionRing receiveCompletions() {
        return receiveCompletions;
    }

    ReceiveRing receives() {
        return receives;
    }

    ReentrantLock sendLock() {
        return sendLock;
    }

    ReentrantLock receiveLock() {
        return receiveLock;
    }

    Requester requester() {
        return requester;
    }

    Responder responder() {
        return responder;
    }

    QueuePairState state() {
        return state;
    }

    PairConfig config() {
        return config;
    }

    /** Number of this incarnation, new with each way out of RESET. */
    long epoch() {
        return epoch;
    }

    byte[] secret() {
        return secret;
    }

    String address(InetSocketAddress endpoint) {
        return new SoftAddress(endpoint, secret).format();
    }

    /** The key that a connection from this queue pair must prove, or {@code null} when it is not the peer. */
    byte @Nullable [] keyOf(int source) {
        PairConfig present = config;
        SoftAddress peer = present.peer();
        if (!mayReceive() || peer == null || present.destination() != source) {
            return null;
        }
        return Handshake.key(secret, peer.secret());
    }

    boolean mayReceive() {
        return switch (state) {
            case RTR, RTS, SQD, SQE -> true;
            default -> false;
        };
    }

    boolean mayTransmit() {
        return state == QueuePairState.RTS || state == QueuePairState.SQD;
    }

    /** Whether no connection can be made or taken at the moment. */
    boolean refusesConnections() {
        return requester.gate().refusesConnections() || !engine.ports().isActive(config.port());
    }

    private void lockBoth() {
        sendLock.lock();
        receiveLock.lock();
    }

    private void unlockBoth() {
        receiveLock.unlock();
        sendLock.unlock();
    }

    void modify(QueuePairAttributes changes) {
        lockBoth();
        try {
            QueuePairState from = state;
            QueuePairState to = changes.has(QueuePairAttribute.STATE) ? changes.state() : from;
            engine.faults().checkCall("ibv_modify_qp", to);
            QueuePairTransitions.check("queue pair " + number, from, to, changes);
            if (to == QueuePairState.RESET) {
                reset();
                return;
            }
            if (to == QueuePairState.ERR) {
                enterError();
                return;
            }
            config = config.with(changes, to, engine);
            if (from == QueuePairState.RESET) {
                epoch = RANDOM.nextLong();
            }
            state = to;
            drainAnnounced &= from == QueuePairState.SQD && to == QueuePairState.SQD;
            checkDrained();
            requester.resume();
        } finally {
            unlockBoth();
        }
    }

    private void reset() {
        state = QueuePairState.RESET;
        config = PairConfig.EMPTY;
        requester.reset();
        responder.reset();
        if (!sharedReceives) {
            receives.clear();
        }
    }

    /** Goes to ERR and flushes everything; the send lock is held. */
    void enterError() {
        receiveLock.lock();
        try {
            if (state == QueuePairState.ERR || state == QueuePairState.RESET) {
                return;
            }
            state = QueuePairState.ERR;
            config = config.with(QueuePairAttributes.builder().build(), QueuePairState.ERR, engine);
            requester.enterError();
            responder.enterError();
        } finally {
            receiveLock.unlock();
        }
        if (sharedReceives) {
            raise(AsyncEventType.QP_LAST_WQE_REACHED);
        }
    }

    /** Goes to ERR since the peer asked for what it may not; no lock is held. */
    void enterErrorAsResponder() {
        sendLock.lock();
        try {
            if (responder.hasFailed()) {
                enterError();
            }
        } finally {
            sendLock.unlock();
        }
    }

    /** Goes to ERR since its completion queue lost completions. */
    void enterErrorForOverrun() {
        sendLock.lock();
        try {
            if (state != QueuePairState.ERR && state != QueuePairState.RESET) {
                enterError();
                raise(AsyncEventType.QP_FATAL);
            }
        } finally {
            sendLock.unlock();
        }
    }

    private void raise(AsyncEventType type) {
        QueuePair element = handle.get();
        if (element != null) {
            engine.events().add(type, element, 0);
        }
    }

    /** Tells once when the send queue has drained; the send lock is held. */
    void checkDrained() {
        if (state == QueuePairState.SQD && !drainAnnounced && !requester.queue().hasOutstanding()) {
            drainAnnounced = true;
            raise(AsyncEventType.SQ_DRAINED);
        }
    }

    /** Flushes posted receives to the completion queue, and from now on those that will be posted. */
    void flushReceives() {
        if (!sharedReceives) {
            receives.flush(this::flushReceive);
        }
    }

    private void flushReceive(long id) {
        receiveCompletions.push(
                id, WorkCompletionStatus.WR_FLUSH_ERR, WorkCompletionOpcode.RECV.code(), 0, 0, number, 0, 0, false);
    }

    /** Executes a bind work request; {@code false} when it is not allowed. */
    boolean bind(long slot) {
        Window window = engine.window(OffHeap.getLong(slot + SendRequests.OFFSET_BIND_WINDOW));
        Grant region = engine.keys().find(OffHeap.getInt(slot + SendRequests.OFFSET_BIND_LKEY), false);
        return window != null
                && window.belongsTo(domain)
                && region instanceof Region below
                && window.bind(
                        below,
                        this,
                        OffHeap.getInt(slot + SendRequests.OFFSET_BIND_RKEY),
                        OffHeap.getLong(slot + SendRequests.OFFSET_BIND_ADDRESS),
                        OffHeap.getLong(slot + SendRequests.OFFSET_BIND_LENGTH),
                        OffHeap.getInt(slot + SendRequests.OFFSET_BIND_ACCESS));
    }

    /** Invalidates the key of a window that is bound through this queue pair; {@code false} when there is none. */
    boolean invalidate(int key) {
        if (engine.keys().find(key, true) instanceof Window.Binding binding && binding.scope() == this) {
            binding.invalidate();
            return true;
        }
        return false;
    }

    boolean uses(CompletionRing ring) {
        return sendCompletions == ring || receiveCompletions == ring;
    }

    /** Faults or ports have changed. */
    void resume() {
        sendLock.lock();
        try {
            requester.resume();
        } finally {
            sendLock.unlock();
        }
        responder.resume();
    }

    /** Cuts both connections. */
    void cut() {
        requester.cut();
        responder.cut();
    }

    /** Drops everything and gives the memory back. Nothing can reach the halves afterwards: their state is RESET. */
    void destroy() {
        lockBoth();
        try {
            reset();
            engine.forgetWindows(this);
            requester.free();
            responder.free();
            if (!sharedReceives) {
                receives.free();
            }
        } finally {
            unlockBoth();
        }
    }
}

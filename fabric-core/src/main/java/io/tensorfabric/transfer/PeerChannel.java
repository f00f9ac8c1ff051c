package io.tensorfabric.transfer;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The pushes to one name of a peer: admits a limited number, makes the connection when there is none, and hands them to its
 * link. Thread-safe. Lock order: channel, then link.
 */
final class PeerChannel {

    private final Engine engine;
    private final String name;
    private final PeerGuard guard;
    private final ReentrantLock lock = new ReentrantLock();
    private final PushQueue queued = PushQueue.byPriority();
    private final PushQueue waiting = PushQueue.byPriority();
    private boolean connecting;
    private @Nullable PeerLink link;

    PeerChannel(Engine engine, String name, PeerGuard guard) {
        this.engine = engine;
        this.name = name;
        this.guard = guard;
    }

    String name() {
        return name;
    }

    PeerGuard guard() {
        return guard;
    }

    private int limit() {
        return guard.bulkhead().getBulkheadConfig().getMaxConcurrentCalls();
    }

    /** Takes in a new push. */
    void submit(Push push) {
        TransferException refusal = null;
        OutboundGroup group = push.group;
        lock.lock();
        try {
            if (group != null && !group.isNew()) {
                if (!group.isRefused() && !group.hasPlace()) {
                    follow(push, group);
                    return;
                }
                refusal = group.isRefused() ? PushFailures.full(push, limit(), "under way") : null;
            } else if (!queued.isBehind(push) && guard.bulkhead().tryAcquirePermission()) {
                admit(push);
            } else if (engine.options().whenFull() == WhenFull.FAIL) {
                refusal = PushFailures.full(push, limit(), "under way");
            } else if (queued.size() >= engine.options().maxQueued()) {
                refusal = PushFailures.full(push, engine.options().maxQueued(), "waiting");
            } else if (push.isDecided()) {
                push.release();
                return;
            } else {
                queued.add(push);
                if (group != null) {
                    group.awaitsPlace();
                }
                return;
            }
            if (refusal != null && group != null) {
                group.refused();
            }
        } finally {
            lock.unlock();
        }
        if (refusal != null) {
            push.failOwned(refusal);
        } else {
            engine.sources().prepare(push, this);
        }
    }

    private static void follow(Push push, OutboundGroup group) {
        if (push.isDecided()) {
            push.release();
        } else {
            group.follow(push);
        }
    }

    /** Gives a push the place that was taken for it; returns the others that have it too. */
    private static List<Push> admit(Push push) {
        push.admitted = true;
        OutboundGroup group = push.group;
        return group == null ? List.of() : group.placed();
    }

    /** Hands a prepared push to the link, connecting first if there is none. The caller of this is its owner. */
    void route(Push push) {
        OutboundGroup group = push.group;
        CallNotPermittedException refusal = group == null ? push.enter(guard) : group.enter(push, guard);
        if (refusal != null) {
            push.attemptFailed(refusal);
            return;
        }
        // Who decided it before now had nothing to give back.
        if (push.isDecided()) {
            push.leave();
        }
        boolean connect = false;
        lock.lock();
        try {
            if (push.isDecided()) {
                push.release();
                return;
            }
            PeerLink present = usableLink();
            if (!waiting.isEmpty() || present == null || !present.sender().enqueue(push)) {
                push.phase(PushPhase.CONNECTING);
                waiting.add(push);
                connect = !connecting;
                connecting = true;
            }
        } finally {
            lock.unlock();
        }
        if (connect) {
            connect();
        }
    }

    private @Nullable PeerLink usableLink() {
        PeerLink present = link;
        if (present == null || !present.isUp()) {
            present = engine.findLink(name);
            link = present;
        }
        return present;
    }

    private void connect() {
        CompletableFuture<Connection> future;
        try {
            future = engine.connect(name);
        } catch (RuntimeException e) {
            future = CompletableFuture.failedFuture(e);
        }
        // The dependent stage fails with the first one, which connected() sees.
        CompletableFuture<Connection> unused = future.whenComplete(this::connected);
    }

    private void connected(@Nullable Connection connection, @Nullable Throwable error) {
        Throwable problem = error;
        List<Push> failed = List.of();
        lock.lock();
        try {
            connecting = false;
            if (connection != null) {
                problem = attach(connection);
            }
            if (problem != null) {
                failed = waiting.drain();
            }
        } finally {
            lock.unlock();
        }
        if (problem != null) {
            Throwable cause = TransferExceptionTranslator.unwrap(problem);
            if (connection == null) {
                guard.disconnected(cause);
            }
            failed.forEach(push -> push.attemptFailed(cause));
            if (cause instanceof ConnectionException refusal
                    && refusal.kind() == ConnectionException.Kind.UNKNOWN_PEER) {
                engine.forget(this);
            }
        }
    }

    private @Nullable Throwable attach(Connection connection) {
        PeerLink fresh = engine.link(connection);
        link = fresh;
        while (fresh != null) {
            Push push = waiting.peek();
            if (push == null) {
                return null;
            }
            if (!fresh.sender().enqueue(push)) {
                break;
            }
            waiting.poll();
        }
        ConnectionException cause = connection.failure();
        return cause != null
                ? cause
                : new ConnectionException(
                        ConnectionException.Kind.LOST, name, "The connection to peer '" + name + "' ended at once");
    }

    /** Forgets a link that is down. */
    void unlink(PeerLink ended, @Nullable ConnectionException failure) {
        boolean mine;
        lock.lock();
        try {
            mine = ended.equals(link);
            if (mine) {
                link = null;
            }
        } finally {
            lock.unlock();
        }
        if (mine && failure != null) {
            guard.disconnected(failure);
        }
    }

    /** Drops a decided push, if it waits here. */
    void abandon(Push push) {
        boolean mine;
        lock.lock();
        try {
            OutboundGroup group = push.group;
            mine = queued.remove(push) || waiting.remove(push) || (group != null && group.unfollow(push));
        } finally {
            lock.unlock();
        }
        if (mine) {
            push.release();
        } else {
            push.dropRetry();
        }
    }

    /** A push gave back everything: the next one may start. On a callback thread. */
    void finished(Push push) {
        ended(push, push.group);
    }

    /** A member of a group was never begun. */
    void missed(OutboundGroup group) {
        ended(null, group);
    }

    private void ended(@Nullable Push push, @Nullable OutboundGroup group) {
        boolean over = false;
        Push next = null;
        List<Push> others = List.of();
        lock.lock();
        try {
            boolean free = push != null && push.admitted;
            if (group != null) {
                over = group.left();
                free = over && group.hasPlace();
            }
            if (free) {
                guard.bulkhead().onComplete();
                if (!queued.isEmpty() && guard.bulkhead().tryAcquirePermission()) {
                    next = queued.poll();
                }
            }
            if (next != null) {
                others = admit(next);
            }
        } finally {
            lock.unlock();
        }
        if (group != null && over) {
            group.over();
        }
        if (next != null) {
            engine.sources().prepare(next, this);
            others.forEach(other -> engine.sources().prepare(other, this));
        }
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ZoneGrant;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Pushes that are larger than the peer's shared zones, by priority and in order. Each takes an unused dedicated zone that fits; if there is
 * none, one is asked for, one at a time. When the peer's limit is reached, they wait for the zones that there are. Guarded
 * by the lock of its link's sender, except where noted.
 */
final class ZoneRequests {

    /** Opening takes about a second for each GiB; a peer that hangs must not hold a thread for a push's whole deadline. */
    private static final long MAX_ASK_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Engine engine;
    private final LinkSender sender;
    private final Connection connection;
    private final PushQueue waiting = PushQueue.byPriority();
    private boolean asking;

    /** For which one is asked for; others may go before it by now. */
    private @Nullable Push asked;

    private boolean limitReached;

    ZoneRequests(Engine engine, LinkSender sender, Connection connection) {
        this.engine = engine;
        this.sender = sender;
        this.connection = connection;
    }

    void add(Push push) {
        waiting.add(push);
    }

    void remove(Push push) {
        waiting.remove(push);
    }

    void clear() {
        waiting.clear();
    }

    /** The first push, if a zone is there for it now; else sees to it that one is asked for. */
    @Nullable Push serve(PeerZones zones) {
        Push first = waiting.peek();
        if (first == null) {
            return null;
        }
        if (zones.reserveDedicated(first)) {
            waiting.poll();
            return first;
        }
        if (!asking && !(limitReached && zones.hasDedicatedFor(first.bytes()))) {
            ask(first);
        }
        return null;
    }

    private void ask(Push push) {
        asking = true;
        asked = push;
        long bytes = push.bytes();
        Duration timeout = Duration.ofNanos(Math.max(1, Math.min(MAX_ASK_NANOS, push.remainingNanos())));
        try {
            engine.blocking(() -> ask(bytes, timeout));
        } catch (RejectedExecutionException e) {
            // The node shuts down, which ends the push soon.
            asking = false;
            asked = null;
        }
    }

    /** On a blocking thread, without the lock. */
    private void ask(long bytes, Duration timeout) {
        ZoneGrant grant;
        try {
            grant = connection.requestZone(bytes, timeout);
        } catch (ConnectionException e) {
            sender.zoneRefused(e);
            return;
        } catch (RuntimeException e) {
            String message = "Asking for a landing zone failed: " + e.getMessage();
            sender.zoneRefused(
                    new ConnectionException(ConnectionException.Kind.REFUSED, connection.peerName(), message, null, e));
            return;
        }
        if (grant.dedicated() && grant.size() >= bytes) {
            sender.zoneGranted(grant);
            return;
        }
        String message = "A landing zone of " + bytes + " bytes was asked for, and one of " + grant.size() + " given";
        sender.zoneRefused(new ConnectionException(ConnectionException.Kind.MALFORMED, connection.peerName(), message));
    }

    void answered() {
        asking = false;
        asked = null;
        limitReached = false;
    }

    /** Returns the push that fails because of the refusal, if it cannot wait for a zone that there is. */
    @Nullable Push refused(ConnectionException refusal, PeerZones zones) {
        Push victim = asked;
        asking = false;
        asked = null;
        if (victim == null || !waiting.contains(victim)) {
            return null;
        }
        if (refusal.kind() == ConnectionException.Kind.LIMIT && zones.hasDedicatedFor(victim.bytes())) {
            limitReached = true;
            return null;
        }
        waiting.remove(victim);
        return victim;
    }
}

package io.tensorfabric.autoconfigure.negotiation;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers the nonces of authenticated requests for as long as their timestamps would be accepted. Bounded: when full,
 * it refuses rather than forgets. Thread-safe.
 */
final class ReplayGuard {

    /** Result of {@link #use}. */
    enum Verdict {
        FRESH,
        REPLAYED,
        FULL
    }

    private final long windowMillis;

    private final int capacity;

    /** Nonce to its expiry; each lives equally long, so the order of insertion is the order of expiry. */
    private final Map<String, Long> expiries = new LinkedHashMap<>();

    /**
     * A guard.
     *
     * @param clockSkew how far a timestamp may be off in each direction
     * @param capacity most nonces
     */
    ReplayGuard(Duration clockSkew, int capacity) {
        this.windowMillis = Math.addExact(Math.multiplyExact(2, clockSkew.toMillis()), 1);
        this.capacity = capacity;
    }

    /** Uses a nonce of a node up. */
    synchronized Verdict use(String node, String nonce, long nowMillis) {
        forgetExpired(nowMillis);
        String key = node + '\n' + nonce;
        if (expiries.containsKey(key)) {
            return Verdict.REPLAYED;
        }
        if (expiries.size() >= capacity) {
            return Verdict.FULL;
        }
        expiries.put(key, nowMillis + windowMillis);
        return Verdict.FRESH;
    }

    synchronized int size() {
        return expiries.size();
    }

    private void forgetExpired(long nowMillis) {
        for (Iterator<Long> each = expiries.values().iterator(); each.hasNext(); ) {
            if (each.next() > nowMillis) {
                return;
            }
            each.remove();
        }
    }
}

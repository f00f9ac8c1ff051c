package io.tensorfabric.autoconfigure.negotiation;

import java.util.HashMap;
import java.util.Map;

/**
 * Bounds what one caller may occupy at a time, so that the others find room: calls that are being answered, by node id, and
 * connections, by the address that asked for them. Thread-safe.
 */
final class CallerLimits {

    private final int maxCalls;

    private final int maxConnections;

    private final Map<String, Integer> calls = new HashMap<>();

    private final Map<String, Integer> connections = new HashMap<>();

    private final Map<String, String> addressOf = new HashMap<>();

    /**
     * Limits.
     *
     * @param maxCalls most calls of one caller at a time
     * @param maxConnections most connections of one address
     */
    CallerLimits(int maxCalls, int maxConnections) {
        this.maxCalls = maxCalls;
        this.maxConnections = maxConnections;
    }

    /** A call of a caller begins; {@link #end} must follow unless this throws. */
    synchronized void begin(String caller) {
        int before = calls.getOrDefault(caller, 0);
        if (before >= maxCalls) {
            throw limit("This caller has " + before + " calls under way here already; more have to wait, or raise"
                    + " 'fabric.negotiation.max-calls-per-peer' here.");
        }
        calls.put(caller, before + 1);
    }

    synchronized void end(String caller) {
        decrement(calls, caller);
    }

    /**
     * A connection is asked for from an address; counts until {@link #closed}.
     *
     * @return whether it was not asked for before
     */
    synchronized boolean opening(String connectionId, String address) {
        if (addressOf.containsKey(connectionId)) {
            return false;
        }
        int before = connections.getOrDefault(address, 0);
        if (before >= maxConnections) {
            throw limit(
                    "The address of this caller has " + before + " connections here already. Where many nodes share an"
                            + " address, raise 'fabric.negotiation.max-connections-per-address' here.");
        }
        connections.put(address, before + 1);
        addressOf.put(connectionId, address);
        return true;
    }

    /** A connection is gone, or was not made; does nothing for others. */
    synchronized void closed(String connectionId) {
        String address = addressOf.remove(connectionId);
        if (address != null) {
            decrement(connections, address);
        }
    }

    private static void decrement(Map<String, Integer> counts, String key) {
        counts.computeIfPresent(key, (unused, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    private static NegotiationProblem limit(String detail) {
        return new NegotiationProblem(429, "LIMIT", detail, Map.of("Retry-After", "1"));
    }
}

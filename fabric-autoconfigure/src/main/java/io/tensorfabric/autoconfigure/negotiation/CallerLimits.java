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

    private final int maxZones;

    private final Map<String, Integer> calls = new HashMap<>();

    private final Map<String, Integer> connections = new HashMap<>();

    private final Map<String, Integer> zones = new HashMap<>();

    private final Map<String, Opened> opened = new HashMap<>();

    /** Where a connection was asked for from, and whether it has a landing zone. */
    private record Opened(String address, boolean zone) {}

    /**
     * Limits.
     *
     * @param maxCalls most calls of one caller at a time
     * @param maxConnections most connections of one address
     * @param maxZones most connections of one address that have a landing zone, of which each takes memory
     */
    CallerLimits(int maxCalls, int maxConnections, int maxZones) {
        this.maxCalls = maxCalls;
        this.maxConnections = maxConnections;
        this.maxZones = maxZones;
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
     * A connection is asked for from an address; counts until {@link #closed}, with a landing zone until
     * {@link #withoutZone} says that it has none.
     *
     * @return whether it was not asked for before
     */
    synchronized boolean opening(String connectionId, String address) {
        if (opened.containsKey(connectionId)) {
            return false;
        }
        int before = connections.getOrDefault(address, 0);
        if (before >= maxConnections) {
            throw limit(
                    "The address of this caller has " + before + " connections here already. Where many nodes share an"
                            + " address, raise 'fabric.negotiation.max-connections-per-address' here.");
        }
        int taken = zones.getOrDefault(address, 0);
        if (taken >= maxZones) {
            throw limit(
                    "The connections of this caller's address have " + taken + " landing zones here already, which is"
                            + " all the memory that one address may take. Raise 'fabric.landing.max-size-per-address', or lower"
                            + " 'fabric.landing.zone-size' here.");
        }
        connections.put(address, before + 1);
        zones.put(address, taken + 1);
        opened.put(connectionId, new Opened(address, true));
        return true;
    }

    /** The connection was made without a landing zone, as those are whose peer may not push. */
    synchronized void withoutZone(String connectionId) {
        Opened connection = opened.get(connectionId);
        if (connection != null && connection.zone()) {
            decrement(zones, connection.address());
            opened.put(connectionId, new Opened(connection.address(), false));
        }
    }

    /** A connection is gone, or was not made; does nothing for others. */
    synchronized void closed(String connectionId) {
        Opened connection = opened.remove(connectionId);
        if (connection != null) {
            decrement(connections, connection.address());
            if (connection.zone()) {
                decrement(zones, connection.address());
            }
        }
    }

    private static void decrement(Map<String, Integer> counts, String key) {
        counts.computeIfPresent(key, (unused, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    private static NegotiationProblem limit(String detail) {
        return new NegotiationProblem(429, "LIMIT", detail, Map.of("Retry-After", "1"));
    }
}

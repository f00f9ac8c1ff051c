package io.tensorfabric.observation;

import io.micrometer.common.KeyValues;
import io.tensorfabric.observation.FabricObservation.LowCardinality;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What observations of one peer have in common, made once: Micrometer asks for it at the start and at the end of each.
 * Thread-safe.
 */
final class PeerKeys {

    /** Beyond so many names, which may be anything that callers make up, they are made anew. */
    private static final int MAX = 1024;

    private final Map<String, Keys> known = new ConcurrentHashMap<>();

    private final String verb;

    /** @param verb that spans are called after, with the name of the peer behind it */
    PeerKeys(String verb) {
        this.verb = verb;
    }

    /**
     * For one peer.
     *
     * @param values for meters and spans
     * @param span name of the span
     */
    record Keys(KeyValues values, String span) {}

    Keys of(String peer) {
        Keys keys = known.get(peer);
        if (keys == null) {
            keys = new Keys(KeyValues.of(LowCardinality.PEER.withValue(peer)), verb + " " + peer);
            if (known.size() < MAX) {
                known.put(peer, keys);
            }
        }
        return keys;
    }
}

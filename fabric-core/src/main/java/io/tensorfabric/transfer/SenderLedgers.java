package io.tensorfabric.transfer;

import io.tensorfabric.connection.NodeIdentity;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The ledger of each sender's latest incarnation. Ledgers outlive connections, since a retry comes over the next one;
 * those of the senders that were silent longest are dropped beyond a limit. Thread-safe.
 */
final class SenderLedgers {

    /** Senders remembered; each takes some 100 KiB at most. */
    private static final int MAX_SENDERS = 1024;

    private final int window;

    private final Map<String, Sender> senders = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Sender> eldest) {
            return size() > MAX_SENDERS;
        }
    };

    private record Sender(String incarnation, SenderLedger ledger) {}

    SenderLedgers(int window) {
        this.window = window;
    }

    /** The ledger of a sender; a new incarnation gets a new one and ends the old. */
    SenderLedger of(NodeIdentity identity) {
        synchronized (senders) {
            Sender sender = senders.get(identity.nodeId());
            if (sender == null || !sender.incarnation.equals(identity.incarnation())) {
                sender = new Sender(identity.incarnation(), new SenderLedger(window));
                senders.put(identity.nodeId(), sender);
            }
            return sender.ledger;
        }
    }
}

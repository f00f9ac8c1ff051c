package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/**
 * What one incarnation of a sender sent lately, so that a tensor that is sent again after a lost connection reaches the
 * listener once. Remembers the latest transfers up to a window, those still under way whatever their age. Thread-safe.
 */
final class SenderLedger {

    /** How a transfer ended at the listener. */
    sealed interface Outcome permits Processed, Failed {}

    /** The listener returned. */
    record Processed() implements Outcome {
        static final Processed INSTANCE = new Processed();
    }

    /** The listener threw. */
    record Failed(String text) implements Outcome {}

    private static final Object REFUSED = new Object();

    /** The same after all of its group had gone to their listeners. */
    private static final Object REFUSED_ALONE = new Object();

    private final LongMap<Object> entries = new LongMap<>();

    private final int window;

    private long[] order = new long[16];

    private int head;

    private int count;

    SenderLedger(int window) {
        this.window = window;
    }

    /**
     * Notes an arrival.
     *
     * @return {@code null} if it is the first of this id, else the {@link Outcome} of the first one, or the first
     *     {@link InboundTransfer} itself while it is under way
     */
    synchronized @Nullable Object begin(long transferId, InboundTransfer transfer) {
        Object before = entries.get(transferId);
        if (before == null) {
            entries.put(transferId, transfer);
            remember(transferId);
            return null;
        }
        if (before.equals(REFUSED) || before.equals(REFUSED_ALONE)) {
            entries.put(transferId, transfer);
            return null;
        }
        return before;
    }

    /** Notes how the listener ended. */
    synchronized void ended(long transferId, Outcome outcome) {
        entries.put(transferId, outcome);
    }

    /**
     * The transfer was refused: the next of this id is a first one again.
     *
     * @param alone whether the others of its group have gone to their listeners, and need not come again with it
     */
    synchronized void refused(long transferId, boolean alone) {
        entries.put(transferId, alone ? REFUSED_ALONE : REFUSED);
    }

    /** Whether a transfer that comes again does so without others of its group. */
    synchronized boolean isAlone(long transferId) {
        return REFUSED_ALONE.equals(entries.get(transferId));
    }

    private void remember(long transferId) {
        if (count == window) {
            forgetOldest();
        }
        if (count == order.length) {
            grow();
        }
        order[head + count & order.length - 1] = transferId;
        count++;
    }

    private void forgetOldest() {
        for (int i = 0; i < window; i++) {
            long oldest = order[head];
            head = head + 1 & order.length - 1;
            if (!(entries.get(oldest) instanceof InboundTransfer)) {
                entries.remove(oldest);
                count--;
                return;
            }
            order[head + count - 1 & order.length - 1] = oldest;
        }
        // All are under way: the window grows by one, bounded by what a sender has in flight.
    }

    private void grow() {
        long[] larger = new long[order.length * 2];
        for (int i = 0; i < count; i++) {
            larger[i] = order[head + i & order.length - 1];
        }
        order = larger;
        head = 0;
    }
}

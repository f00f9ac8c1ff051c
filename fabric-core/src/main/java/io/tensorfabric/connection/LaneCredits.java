package io.tensorfabric.connection;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Flow control of a lane: how many messages this end may still send, and how many of the peer's it has taken but not yet
 * told of. Thread-safe.
 *
 * <p>Every message and every write with immediate takes a receive of the peer, so costs a credit. Users leave
 * {@link #KEPT_FROM_USERS} alone and other messages of the connection {@link #KEPT_FROM_ALL}, so that credits can always
 * be returned: a CREDIT message, which may use the last one, returns at least half of what the peer had.
 */
final class LaneCredits {

    static final int KEPT_FROM_USERS = 3;

    static final int KEPT_FROM_ALL = 1;

    private static final int MOST_PER_MESSAGE = 0xffff;

    private final int receives;

    private final AtomicInteger available = new AtomicInteger();

    private final AtomicInteger owed = new AtomicInteger();

    private volatile int granted;

    /** @param receives receives that this end keeps posted for the lane */
    LaneCredits(int receives) {
        this.receives = receives;
    }

    /** The peer keeps that many receives posted. */
    void start(int peerReceives) {
        granted = peerReceives;
        available.set(peerReceives);
    }

    int available() {
        return available.get();
    }

    /** Takes one; only under the lane's lock, after {@link #available}. */
    void take() {
        available.decrementAndGet();
    }

    void giveBack() {
        available.incrementAndGet();
    }

    /** The peer returned some; false if it returns more than it had. */
    boolean returned(int count) {
        return available.addAndGet(count) <= granted;
    }

    /** Receives were posted anew. */
    void owe(int count) {
        owed.addAndGet(count);
    }

    /** Whether the peer should be told without waiting for another message to carry it. */
    boolean isReturnDue() {
        return owed.get() >= receives / 2;
    }

    /** What the next message returns. */
    int takeOwed() {
        int count = owed.get();
        while (count > 0) {
            int taken = Math.min(count, MOST_PER_MESSAGE);
            if (owed.compareAndSet(count, count - taken)) {
                return taken;
            }
            count = owed.get();
        }
        return 0;
    }
}

package io.tensorfabric.verbs.soft;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Faults of traffic, of all queue pairs or of one; see {@link SoftFaults#traffic()}. Messages are what a queue pair
 * sends as requester; acknowledgements, READ data included, are what it answers as responder.
 *
 * <p>Thread-safe; a change takes effect at once.
 */
public final class SoftTrafficFaults {

    private final Runnable changed;

    private final AtomicInteger messagesToDrop = new AtomicInteger();

    private final AtomicInteger acksToDrop = new AtomicInteger();

    private volatile long messageDelayNanos;

    private volatile long ackDelayNanos;

    private volatile boolean messagesStalled;

    private volatile boolean acksStalled;

    private volatile boolean connectionsRefused;

    private volatile long bytesPerSecond;

    SoftTrafficFaults(Runnable changed) {
        this.changed = changed;
    }

    /** Loses the next messages; the requester finds out by its timeout and sends again. */
    public void dropMessages(int count) {
        messagesToDrop.set(count);
        changed.run();
    }

    /** Loses the next acknowledgements; the requester finds out by its timeout and asks again. */
    public void dropAcks(int count) {
        acksToDrop.set(count);
        changed.run();
    }

    /** Keeps each message that is posted from now on for a while before it is sent; zero ends it. */
    public void delayMessages(Duration delay) {
        messageDelayNanos = delay.toNanos();
        changed.run();
    }

    /** Keeps acknowledgements for a while; zero ends it. */
    public void delayAcks(Duration delay) {
        ackDelayNanos = delay.toNanos();
        changed.run();
    }

    /** Sends no message while set, as a network does that has stopped: timeouts run. */
    public void stallMessages(boolean stalled) {
        messagesStalled = stalled;
        changed.run();
    }

    /** Sends no acknowledgement while set. */
    public void stallAcks(boolean stalled) {
        acksStalled = stalled;
        changed.run();
    }

    /** Refuses connections of requesters and dials none while set. */
    public void refuseConnections(boolean refused) {
        connectionsRefused = refused;
        changed.run();
    }

    /** Limits what each queue pair sends, in payload bytes per second; 0 ends it. */
    public void limitRate(long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("A rate cannot be negative: " + limit);
        }
        bytesPerSecond = limit;
        changed.run();
    }

    /** Ends all faults of this object. */
    public void clear() {
        messagesToDrop.set(0);
        acksToDrop.set(0);
        messageDelayNanos = 0;
        ackDelayNanos = 0;
        messagesStalled = false;
        acksStalled = false;
        connectionsRefused = false;
        bytesPerSecond = 0;
        changed.run();
    }

    boolean takeMessageDrop() {
        return take(messagesToDrop);
    }

    boolean takeAckDrop() {
        return take(acksToDrop);
    }

    private static boolean take(AtomicInteger count) {
        return count.get() > 0 && count.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    long messageDelayNanos() {
        return messageDelayNanos;
    }

    long ackDelayNanos() {
        return ackDelayNanos;
    }

    boolean messagesStalled() {
        return messagesStalled;
    }

    boolean acksStalled() {
        return acksStalled;
    }

    boolean connectionsRefused() {
        return connectionsRefused;
    }

    long bytesPerSecond() {
        return bytesPerSecond;
    }
}

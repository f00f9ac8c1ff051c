package io.tensorfabric.verbs.soft;

import org.jspecify.annotations.Nullable;

/** What faults do to the messages of one queue pair. Guarded by its send lock. */
final class SendGate {

    /** Frames of a limited rate are about this part of a second long. */
    private static final int FRAMES_PER_SECOND = 50;

    private static final int LEAST_SEGMENT = 4096;

    private final Pair pair;

    private long rateNanos;

    private boolean rateLimited;

    SendGate(Pair pair) {
        this.pair = pair;
    }

    private SoftTrafficFaults all() {
        return pair.engine().faults().traffic();
    }

    private @Nullable SoftTrafficFaults own() {
        return pair.engine().faults().trafficOf(pair.number());
    }

    boolean refusesConnections() {
        SoftTrafficFaults own = own();
        return all().connectionsRefused() || (own != null && own.connectionsRefused());
    }

    boolean isStalled() {
        SoftTrafficFaults own = own();
        return all().messagesStalled() || (own != null && own.messagesStalled());
    }

    boolean drops() {
        SoftTrafficFaults own = own();
        return all().takeMessageDrop() || (own != null && own.takeMessageDrop());
    }

    /** When a message that is posted now may leave, 0 for at once. */
    long notBefore() {
        SoftTrafficFaults own = own();
        long delay = Math.max(all().messageDelayNanos(), own == null ? 0 : own.messageDelayNanos());
        return delay == 0 ? 0 : Math.max(1, System.nanoTime() + delay);
    }

    private long rate() {
        SoftTrafficFaults own = own();
        long common = all().bytesPerSecond();
        long single = own == null ? 0 : own.bytesPerSecond();
        return common == 0 || single == 0 ? Math.max(common, single) : Math.min(common, single);
    }

    /** Most bytes of the next frame. */
    int segment(int most) {
        long rate = rate();
        return rate == 0 ? most : (int) Math.min(most, Math.max(LEAST_SEGMENT, rate / FRAMES_PER_SECOND));
    }

    /** Whether a frame may leave now; if not, the requester is called again when it may. */
    boolean admits(int length) {
        if (isStalled()) {
            return false;
        }
        long rate = rate();
        if (rate == 0) {
            rateLimited = false;
            return true;
        }
        long now = System.nanoTime();
        if (rateLimited && rateNanos - now > 0) {
            pair.requester().pumpAt(rateNanos);
            return false;
        }
        rateLimited = true;
        rateNanos = now + length * 1_000_000_000L / rate;
        return true;
    }

    /** Whether the limit of the rate holds the sender back at the moment. */
    boolean isWaiting() {
        return rateLimited && rateNanos - System.nanoTime() > 0;
    }
}

package io.tensorfabric.verbs.soft;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Timeouts and retries of a requester, after the rules of InfiniBand: an acknowledgement must come within the timeout,
 * else the message is sent again, up to the retry count; a receiver that is not ready is asked again after its timer.
 * Guarded by the queue pair's send lock.
 */
final class RetryClock {

    /** What an expired timer asks for. */
    enum Verdict {
        WAIT,
        RESEND,
        GIVE_UP
    }

    /** Retry counts that mean "for ever". */
    private static final int FOR_EVER = 7;

    /** A budget below this would not last for a single handshake. */
    private static final long LEAST_BUDGET = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long FIRST_BACKOFF = TimeUnit.MILLISECONDS.toNanos(1);

    private static final int MAX_BACKOFF_SHIFT = 5;

    /** Units of 10 us of the timer codes 0 to 31, table 45 of the InfiniBand specification, volume 1. */
    private static final int[] RNR_TIMERS = {
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12288, 16384, 24576, 32768, 49152
    };

    private final Pair pair;

    private final SendQueue queue;

    private long progressAt;

    /** When the peer last executed something, or had nothing to do. */
    private long acknowledgedAt;

    /** Times that the present messages were sent again. */
    private int resends;

    private int receiverRetries;

    private boolean receiverWaiting;

    private long receiverReadyAt;

    private int dials;

    private long dialAt;

    private boolean armed;

    private long armedAt;

    RetryClock(Pair pair, SendQueue queue) {
        this.pair = pair;
        this.queue = queue;
    }

    /** Nanoseconds of a timer code. */
    static long rnrNanos(int code) {
        return RNR_TIMERS[code & 31] * 10_000L;
    }

    /** The first request after a quiet time. */
    void restart() {
        acknowledged();
    }

    /** Bytes went out or came in. */
    void progress() {
        progressAt = System.nanoTime();
    }

    /** A message was acknowledged. */
    void acknowledged() {
        progress();
        acknowledgedAt = progressAt;
        resends = 0;
        receiverRetries = 0;
    }

    void connected() {
        dials = 0;
    }

    /** Notes a lost connection; {@code false} when that was the last of the retries. */
    boolean disconnected(boolean wasUp) {
        long now = System.nanoTime();
        if (wasUp) {
            progressAt = now;
            dials = 0;
            dialAt = now;
            resends++;
            int allowed = pair.config().retryCount();
            return allowed == FOR_EVER || resends <= allowed || now - acknowledgedAt < budget();
        } else {
            dialAt = now + (FIRST_BACKOFF << Math.min(dials, MAX_BACKOFF_SHIFT));
            dials++;
            return true;
        }
    }

    /** How long an InfiniBand card would go on without an acknowledgement. */
    private long budget() {
        return Math.max((pair.config().retryCount() + 1) * pair.config().timeoutNanos(), LEAST_BUDGET);
    }

    boolean mayDial() {
        return dials == 0 || dialAt - System.nanoTime() <= 0;
    }

    long nextDial() {
        return dialAt;
    }

    /** Counts one more wait for the receiver; {@code false} when there are no retries left. */
    boolean takeReceiverRetry() {
        int allowed = pair.config().rnrRetry();
        return allowed == FOR_EVER || receiverRetries++ < allowed;
    }

    /** Starts a wait for the receiver; returns when it ends. */
    long waitForReceiver(int timerCode) {
        receiverWaiting = true;
        receiverReadyAt = System.nanoTime() + rnrNanos(timerCode);
        progressAt = receiverReadyAt;
        return receiverReadyAt;
    }

    boolean isReceiverWaiting() {
        if (receiverWaiting && receiverReadyAt - System.nanoTime() <= 0) {
            receiverWaiting = false;
        }
        return receiverWaiting;
    }

    /** When the present attempt has taken too long. */
    private long deadline(@Nullable RequesterLink link) {
        long timeout = pair.config().timeoutNanos();
        long patience = pair.engine().options().minimumAckTimeout().toNanos();
        if (link != null && link.isUp()) {
            return progressAt + Math.max(timeout, patience);
        }
        long budget = progressAt + budget();
        // A peer that has taken the connection lives, and may be slow to answer; one that refuses it is gone at once.
        long answer = link == null ? budget : link.madeAt() + Link.HANDSHAKE_NANOS;
        return answer - budget > 0 ? answer : budget;
    }

    /** Starts the timer unless one runs that is early enough. */
    void arm(@Nullable RequesterLink link) {
        if (pair.config().timeoutNanos() == 0 || queue.isIdle()) {
            return;
        }
        if (!armed || armedAt - deadline(link) > 0) {
            rearm(link);
        }
    }

    void rearm(@Nullable RequesterLink link) {
        long at = deadline(link);
        armed = true;
        armedAt = at;
        pair.loop().schedule(at, () -> pair.requester().timerRan(at));
    }

    /** Whether this is the timer that counts, not one that another has replaced. */
    boolean isCurrent(long at) {
        return armed && armedAt == at;
    }

    void disarm() {
        armed = false;
    }

    /** Judges a timer that ran. */
    Verdict expire(@Nullable RequesterLink link, boolean heldBack) {
        boolean up = link != null && link.isUp();
        if (heldBack || (up && !queue.hasOutstanding())) {
            progress();
            return Verdict.WAIT;
        }
        if (System.nanoTime() - deadline(link) < 0) {
            return Verdict.WAIT;
        }
        int allowed = pair.config().retryCount();
        if (!up && allowed != FOR_EVER) {
            return Verdict.GIVE_UP;
        }
        if (up && allowed != FOR_EVER && resends >= allowed) {
            return Verdict.GIVE_UP;
        }
        resends++;
        progress();
        dials = 0;
        return up || link != null ? Verdict.RESEND : Verdict.WAIT;
    }

    void clear() {
        resends = 0;
        receiverRetries = 0;
        receiverWaiting = false;
        dials = 0;
    }
}

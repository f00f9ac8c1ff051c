package io.tensorfabric.transfer;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.TransmissionListener;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.TransferStatus.State;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A push from its call to the end of all it holds, and the future that the caller has.
 *
 * <p>It has two ends. It is <em>decided</em> once, when its future's result is known: by success, deadline, cancellation or
 * failure. It is <em>released</em> once, when no queue holds it and the device is done with its memory; whoever owns it
 * then (channel, link or nobody) calls {@link #release()}. The order of the two is free. Both go on to a thread that waits
 * for the push, or a callback thread, where memory is given back first and then the future completes.
 *
 * <p>At any time it belongs to its channel (while {@code link} is null) or to the sender of one link, whose lock guards the
 * posting state. Who decides it from outside asks the owner to drop it; an owner that takes it in looks whether it is
 * decided already. One of the two sees the other.
 */
final class Push extends GuardedPush implements TransmissionListener {

    private static final VarHandle OUTCOME = field(MethodHandles.lookup(), "outcome", Object.class);
    private static final VarHandle RELEASED = field(MethodHandles.lookup(), "released", boolean.class);
    private static final VarHandle CLEANED = field(MethodHandles.lookup(), "cleaned", boolean.class);

    /** Outcome of a future that its user completed. */
    private static final Object BY_USER = new Object();

    private final Engine engine;
    private final PeerChannel channel;
    private final long id;
    private final Tensor tensor;
    private final PushOptions options;
    private volatile @Nullable Object outcome;
    private volatile boolean released;

    @SuppressWarnings("UnusedVariable") // read and set through CLEANED
    private volatile boolean cleaned;

    private volatile PushPhase phase = PushPhase.QUEUED;
    private volatile int attempt = 1;
    private volatile @Nullable Retry retry;

    /** Whether it counts against the limit of its channel. Guarded by the channel's lock. */
    boolean admitted;

    /** Where the bytes are; set once, before any link sees it. */
    final PushSource source;

    /** With which others it belongs together; set once, before any other thread sees it. */
    @Nullable OutboundGroup group;

    /** The group that the peer is told of: none once it has handed that over, after which members only come again. */
    @Nullable OutboundGroup together() {
        OutboundGroup all = group;
        return all == null || all.isHandedOver() ? null : all;
    }

    /** Of the source, if the caller wants one. */
    int checksum;

    /** The sender that owns it. Written under that one's lock. */
    volatile @Nullable LinkSender link;

    // The state of this attempt, guarded by the lock of the link's sender.
    @Nullable PeerZone zone;

    long offset;
    long posted;
    volatile long placed;
    int outstanding;
    boolean headerPosted;

    boolean broken;
    boolean turnedAway; // by a peer that is shutting down

    @Nullable ReceiptLevel answer;

    volatile TransferPath path = TransferPath.NONE;

    /** The first error of the latest attempt that had one, for messages. */
    volatile @Nullable WorkCompletionStatus failure;

    /** The tensor is held by the caller of this already. */
    Push(
            Engine engine,
            PeerChannel channel,
            long id,
            Tensor tensor,
            long address,
            PushOptions options,
            Duration deadline,
            @Nullable RegionUse region) {
        super(region, deadline);
        this.engine = engine;
        this.channel = channel;
        this.id = id;
        this.tensor = tensor;
        this.options = options;
        this.source = new PushSource(address);
    }

    /** Starts the clock of the deadline. */
    void arm() {
        engine.wheel().arm(this, remainingNanos());
    }

    long id() {
        return id;
    }

    long bytes() {
        return tensor.byteLength();
    }

    int attempt() {
        return attempt;
    }

    Tensor tensor() {
        return tensor;
    }

    /** The name under which the peer knows the tensor. */
    String name() {
        return region == null ? tensor.name() : region.name();
    }

    PushOptions options() {
        return options;
    }

    String peer() {
        return channel.name();
    }

    PushPhase phase() {
        return phase;
    }

    void phase(PushPhase value) {
        phase = value;
    }

    boolean isSmall() {
        return bytes() <= engine.options().smallThreshold();
    }

    boolean isDecided() {
        return outcome != null;
    }

    boolean isNodeClosing() {
        return engine.isClosing();
    }

    boolean isReleased() {
        return released;
    }

    /** Everything is posted and finished, with the answer that was wanted. The owner releases it next. */
    void succeed(ReceiptLevel level) {
        if (isDecided()) {
            return;
        }
        Duration elapsed = Duration.ofNanos(elapsedNanos());
        TransferReceipt receipt =
                new TransferReceipt(id, channel.name(), name(), bytes(), level, elapsed, attempt, path);
        if (decide(receipt)) {
            engine.wheel().cancel(this);
            if (!isLook()) {
                logEnd(State.DONE, null);
            }
        }
    }

    /** Ends the future with a failure, whoever owns the push. */
    void fail(TransferException reason) {
        if (decide(reason)) {
            logEnd(State.FAILED, reason);
            abandon();
        }
    }

    /** The same for a push that only the caller of this has, which so is its owner. */
    void failOwned(TransferException reason) {
        if (decide(reason)) {
            logEnd(State.FAILED, reason);
        }
        release();
    }

    /** A failure that ends only this attempt. The caller of this is the owner. */
    void attemptFailed(Throwable cause) {
        leave();
        long backoff = isDecided() || engine.isStopped() ? -1 : nextTry(channel.guard(), cause);
        if (backoff < 0 || backoff >= remainingNanos()) {
            failOwned(PushFailures.lost(this, cause));
            return;
        }
        engine.log().retried(this, cause, backoff);
        WorkCompletionStatus status = PushFailures.statusOf(cause);
        if (status != null) {
            // Kept over the attempts: what broke the connection says more than that the peer cannot be reached since.
            failure = status;
        }
        int next = attempt + 1;
        attempt = next;
        phase = PushPhase.BACKOFF;
        Retry again = new Retry();
        retry = again;
        engine.wheel().arm(again, backoff);
        if (isDecided()) {
            dropRetry();
        }
    }

    /** Prepares the state of the next attempt. Under the lock of the link that it leaves. */
    void leaveLink() {
        zone = null;
        offset = 0;
        posted = 0;
        placed = 0;
        headerPosted = false;
        answer = null;
        broken = false;
        turnedAway = false;
        link = null;
    }

    /** Releases it if it waits for its next attempt. */
    void dropRetry() {
        Retry waiting = retry;
        if (waiting != null && engine.wheel().cancel(waiting)) {
            release();
        }
    }

    private boolean decide(Object result) {
        if (!OUTCOME.compareAndSet(this, null, result)) {
            return false;
        }
        leave(channel.guard(), result);
        return true;
    }

    private void logEnd(State state, @Nullable Throwable reason) {
        String error = reason == null ? null : reason.getMessage();
        engine.log()
                .ended(
                        id,
                        direction(),
                        peer(),
                        name(),
                        bytes(),
                        placed,
                        state,
                        startedMillis(),
                        elapsedNanos(),
                        error,
                        path);
    }

    @Override
    void abandon() {
        while (true) {
            LinkSender owner = link;
            if (owner == null) {
                channel.abandon(this);
                break;
            }
            if (owner.abandon(this)) {
                break;
            }
        }
        if (!released) {
            endsNow();
            engine.wheel().arm(this, engine.options().deviceGrace().toNanos());
        }
    }

    /** No queue holds it and the device is done with its memory. */
    void release() {
        if (takeRelease()) {
            endsNow();
        }
    }

    /** The same under a lock: whoever needs to know of it is told later. */
    void release(EndedPushes ended) {
        if (takeRelease()) {
            ended.add(this);
        }
    }

    private boolean takeRelease() {
        boolean first = RELEASED.compareAndSet(this, false, true);
        if (first) {
            engine.wheel().cancel(this);
        }
        return first;
    }

    @Override
    void callBack() {
        engine.callback(this);
    }

    @Override
    void poll(long nanos) {
        LinkSender owner = link;
        if (owner != null) {
            owner.pollUntil(this, nanos);
        }
    }

    /** Gives back memory if released, then completes the future if decided. */
    @Override
    public void run() {
        if (released && CLEANED.compareAndSet(this, false, true)) {
            engine.cleanUp(this, channel);
        }
        Object result = outcome;
        if (result instanceof TransferReceipt receipt) {
            end(receipt, null);
        } else if (result instanceof TransferException reason) {
            end(null, reason);
        }
    }

    @Override
    public void completed(Lane lane, long token, WorkCompletionStatus status, int vendorError) {
        LinkSender owner = link;
        if (owner == null) {
            throw new IllegalStateException("A transmission ended after the end of its connection was told");
        }
        owner.completed(this, lane, token, status);
    }

    @Override
    boolean takenByUser(State state, @Nullable Throwable reason) {
        boolean taken = decide(BY_USER);
        if (taken) {
            logEnd(state, reason);
        }
        return taken;
    }

    TransferStatus status() {
        Instant started = Instant.ofEpochMilli(startedMillis());
        return new TransferStatus(
                id, direction(), peer(), name(), bytes(), placed, phase.state(), started, null, null, null);
    }

    @Override
    public String toString() {
        String what = region == null ? "Push" : region.operation().noun();
        return what + "[" + id + ", '" + name() + "' to '" + peer() + "', " + bytes() + " bytes, "
                + (isDecided() ? "ended" : phase.text()) + "]";
    }

    /** First the deadline; once decided, the time that the device has to let go. */
    @Override
    public void timeIsUp() {
        if (!isDecided()) {
            fail(PushFailures.deadline(this));
            return;
        }
        LinkSender owner = link;
        if (owner != null && !released) {
            String message = "The device of this node still works on an ended push to peer '" + peer() + "' after "
                    + engine.options().deviceGrace() + "; the connection is given up to get its memory back";
            owner.giveUp(new ConnectionException(ConnectionException.Kind.LOST, peer(), message));
        }
    }

    /** The next attempt. */
    private final class Retry extends DeadlineWheel.Entry {

        @Override
        void expired() {
            channel.route(Push.this);
        }
    }
}

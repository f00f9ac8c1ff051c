package io.tensorfabric.transfer;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.retry.Retry;
import io.tensorfabric.transfer.TransferStatus.Direction;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The part of a push that the guard of its peer decides over: the permission of its present attempt, which goes back once
 * with what was learned about the peer, and its further attempts. A superclass rather than a part, so that a push stays one
 * object. Thread-safe but for {@link #nextTry}, which is for the owner of the push.
 */
abstract class GuardedPush extends TimedPush {

    private static final VarHandle PERMISSION = field(MethodHandles.lookup(), "permission", PeerGuard.class);

    /** The published tensor that it works with; {@code null} for a push to listeners. */
    final @Nullable RegionUse region;

    @SuppressWarnings("UnusedVariable") // read and set through PERMISSION
    private volatile @Nullable PeerGuard permission;

    private volatile long enteredNanos;

    private Retry.@Nullable AsyncContext<TransferReceipt> retries;

    GuardedPush(@Nullable RegionUse region, Duration deadline) {
        super(deadline);
        this.region = region;
    }

    /** As people and meters see it. */
    Direction direction() {
        return region == null ? Direction.OUT : region.operation().direction();
    }

    /** Whether it only prepares another transfer, so that nobody need know of its success. */
    boolean isLook() {
        return region != null && region.operation() == RegionUse.Operation.LOOK;
    }

    /** Whether bytes come here. */
    boolean isPull() {
        return region != null && region.isPull();
    }

    /** Begins an attempt with a permission of the guard; else returns why there is none. */
    @Nullable CallNotPermittedException enter(PeerGuard guard) {
        CallNotPermittedException refusal = guard.enter();
        if (refusal == null) {
            enteredNanos = System.nanoTime();
            permission = guard;
        }
        return refusal;
    }

    private @Nullable PeerGuard takePermission() {
        return (PeerGuard) PERMISSION.getAndSet(this, null);
    }

    /** The attempt ended with nothing learned about the peer. */
    void leave() {
        PeerGuard guard = takePermission();
        if (guard != null) {
            guard.left();
        }
    }

    /** The push is decided: by a receipt, a failure, or its user. */
    void leave(PeerGuard tries, Object outcome) {
        PeerGuard guard = takePermission();
        if (outcome instanceof TransferReceipt) {
            Retry.AsyncContext<TransferReceipt> used = retries;
            if (used != null) {
                used.onComplete();
            } else {
                tries.succeededAtOnce();
            }
        }
        if (guard == null) {
            return;
        }
        long nanos = System.nanoTime() - enteredNanos;
        if (outcome instanceof TransferReceipt || isAnswer(outcome)) {
            guard.answered(nanos);
        } else if (outcome instanceof TransferException failure && failure.kind() == TransferException.Kind.DEADLINE) {
            guard.failed(nanos, failure);
        } else {
            guard.left();
        }
    }

    private static boolean isAnswer(Object outcome) {
        return outcome instanceof TransferException failure
                && (failure.kind() == TransferException.Kind.REJECTED
                        || failure.kind() == TransferException.Kind.LISTENER_FAILED);
    }

    /** Wait before another attempt in nanoseconds, or -1 if there is none. */
    long nextTry(PeerGuard guard, Throwable cause) {
        if (region != null && region.isTold()) {
            return -1;
        }
        Retry.AsyncContext<TransferReceipt> used = retries;
        if (used == null) {
            used = guard.retries();
            retries = used;
        }
        long millis = used.onError(TransferExceptionTranslator.unwrap(cause));
        return millis < 0 ? -1 : TimeUnit.MILLISECONDS.toNanos(millis);
    }
}

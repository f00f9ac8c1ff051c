package io.tensorfabric.transfer;

import io.tensorfabric.transfer.TransferStatus.State;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of a push that its callers wait for. A thread that waits takes the completions of the device itself for a while,
 * and then brings the push to its end; without such a thread a callback thread does. A superclass rather than a part, so
 * that a push stays one object. Thread-safe.
 */
abstract class AwaitedPush extends CompletableFuture<TransferReceipt> implements Runnable, BooleanSupplier {

    private static final VarHandle POLLERS = field(MethodHandles.lookup(), "pollers", int.class);

    /** Threads that poll. */
    private volatile int pollers;

    private volatile boolean due;

    static VarHandle field(MethodHandles.Lookup lookup, String name, Class<?> type) {
        try {
            return lookup.findVarHandle(lookup.lookupClass(), name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Has {@link #run()} called on a callback thread. */
    abstract void callBack();

    /** Polls on this thread until {@link #getAsBoolean()}, if there is a connection to poll. */
    abstract void poll(long nanos);

    /** Its user ends the future; {@code false} if it is decided already. */
    abstract boolean takenByUser(State state, @Nullable Throwable reason);

    /** It was decided from outside: its owner drops it when the device lets it, and until then the device is watched. */
    abstract void abandon();

    /** It has come to an end, or further to it: {@link #run()} is due. */
    final void endsNow() {
        if (!isSeenToEnd()) {
            callBack();
        }
    }

    /** The same, but leaves it to the caller of this to call {@link #run()} on a callback thread if no thread polls. */
    final boolean isSeenToEnd() {
        due = true;
        return pollers > 0;
    }

    /** Whether {@link #run()} is due. */
    @Override
    public final boolean getAsBoolean() {
        return due;
    }

    /** Completes the future with what was decided. */
    final void end(@Nullable TransferReceipt receipt, @Nullable TransferException reason) {
        if (reason == null) {
            super.complete(receipt);
        } else {
            super.completeExceptionally(reason);
        }
    }

    private void pollForEnd(long nanos) {
        if (isDone()) {
            return;
        }
        POLLERS.getAndAdd(this, 1);
        try {
            poll(nanos);
        } finally {
            POLLERS.getAndAdd(this, -1);
            if (due) {
                run();
            }
        }
    }

    @Override
    public TransferReceipt get() throws InterruptedException, ExecutionException {
        pollForEnd(Long.MAX_VALUE);
        return super.get();
    }

    @Override
    public TransferReceipt get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        long start = System.nanoTime();
        long nanos = unit.toNanos(timeout);
        pollForEnd(nanos);
        return super.get(Math.max(0, nanos - (System.nanoTime() - start)), TimeUnit.NANOSECONDS);
    }

    @Override
    public TransferReceipt join() {
        pollForEnd(Long.MAX_VALUE);
        return super.join();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (!takenByUser(State.CANCELLED, null)) {
            return isCancelled();
        }
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        abandon();
        return cancelled;
    }

    @Override
    public boolean complete(TransferReceipt value) {
        boolean completed = takenByUser(State.CANCELLED, null) && super.complete(value);
        if (completed) {
            abandon();
        }
        return completed;
    }

    @Override
    public boolean completeExceptionally(Throwable reason) {
        State state = reason instanceof CancellationException ? State.CANCELLED : State.FAILED;
        boolean completed = takenByUser(state, reason) && super.completeExceptionally(reason);
        if (completed) {
            abandon();
        }
        return completed;
    }
}

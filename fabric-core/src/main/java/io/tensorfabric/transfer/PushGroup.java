package io.tensorfabric.transfer;

import io.tensorfabric.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Pushes that succeed or fail together. Thread-safe. */
final class PushGroup extends CompletableFuture<List<TransferReceipt>> {

    private final String peer;

    private final List<CompletableFuture<TransferReceipt>> pushes = new ArrayList<>();

    private final AtomicInteger arrived = new AtomicInteger();

    private final AtomicInteger left;

    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();

    private PushGroup(String peer, int count) {
        this.peer = peer;
        this.left = new AtomicInteger(count);
    }

    static PushGroup start(String peer, List<Tensor> all, Function<Tensor, CompletableFuture<TransferReceipt>> push) {
        PushGroup group = new PushGroup(peer, all.size());
        if (all.isEmpty()) {
            group.complete(List.of());
            return group;
        }
        for (Tensor tensor : all) {
            group.pushes.add(push.apply(tensor));
        }
        // Only now: the first to end may fail and cancel the others.
        group.pushes.forEach(started -> started.whenComplete(group::ended));
        return group;
    }

    private void ended(@Nullable TransferReceipt receipt, @Nullable Throwable failure) {
        if (failure == null) {
            arrived.incrementAndGet();
        } else if (firstFailure.compareAndSet(null, failure)) {
            cancelPushes();
        }
        if (left.decrementAndGet() > 0) {
            return;
        }
        Throwable first = firstFailure.get();
        if (first == null) {
            complete(pushes.stream().map(CompletableFuture::join).toList());
        } else {
            completeExceptionally(failure(first));
        }
    }

    private void cancelPushes() {
        pushes.forEach(push -> push.cancel(false));
    }

    private Throwable failure(Throwable first) {
        Throwable cause = TransferExceptionTranslator.unwrap(first);
        String message = "Push of " + pushes.size() + " tensors to peer '" + peer + "' failed, " + arrived.get()
                + " of them arrived: " + cause.getMessage();
        return cause instanceof TransferException known
                ? TransferExceptionTranslator.anew(known, message)
                : new TransferCancelledException(peer, message, cause);
    }

    /** Also by a user who gives it up, as with a timeout of the future's own. */
    @Override
    public boolean completeExceptionally(Throwable reason) {
        boolean completed = super.completeExceptionally(reason);
        if (completed) {
            cancelPushes();
        }
        return completed;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        cancelPushes();
        return cancelled;
    }
}

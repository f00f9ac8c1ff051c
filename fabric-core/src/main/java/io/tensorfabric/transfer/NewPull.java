package io.tensorfabric.transfer;

import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.transfer.RegionUse.Operation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A pull that makes its tensor when it knows what the published one is. Thread-safe. */
final class NewPull extends CompletableFuture<Tensor> {

    private final TransferStart transfers;
    private final String peer;
    private final String name;
    private final RegionOptions options;
    private final RegionUse use;
    private final long started = System.nanoTime();
    private @Nullable CompletableFuture<TransferReceipt> underWay;
    private @Nullable Tensor tensor;

    NewPull(TransferStart transfers, String peer, String name, RegionOptions options) {
        this.transfers = transfers;
        this.peer = peer;
        this.name = name;
        this.options = options;
        this.use = new RegionUse(Operation.LOOK, name, null);
    }

    NewPull start() {
        begin(transfers.look(peer, use, options)).whenComplete(this::looked);
        return this;
    }

    private synchronized CompletableFuture<TransferReceipt> begin(CompletableFuture<TransferReceipt> step) {
        underWay = step;
        if (isDone()) {
            step.cancel(true);
        }
        return step;
    }

    private void looked(@Nullable TransferReceipt receipt, @Nullable Throwable failure) {
        TensorDescriptor found = use.found();
        if (failure != null || found == null) {
            end(failure != null ? failure : new IllegalStateException("Nothing was found of tensor '" + name + "'"));
            return;
        }
        try {
            Tensor made = Tensor.allocate(found);
            synchronized (this) {
                tensor = made;
            }
            begin(transfers.region(Operation.PULL, peer, name, made, left())).whenComplete(this::pulled);
        } catch (RuntimeException | Error e) {
            // Above all, there may be no memory for it.
            end(e instanceof Error ? e : TransferExceptionTranslator.translate("Pull of '" + name + "'", peer, e));
        }
    }

    /** The deadline counts from the beginning. */
    private RegionOptions left() {
        Duration deadline = options.deadline();
        if (deadline == null) {
            return options;
        }
        Duration left = deadline.minusNanos(System.nanoTime() - started);
        return options.withDeadline(left.isNegative() || left.isZero() ? Duration.ofNanos(1) : left);
    }

    private void pulled(@Nullable TransferReceipt receipt, @Nullable Throwable failure) {
        Tensor made;
        synchronized (this) {
            made = tensor;
        }
        if (failure != null || made == null) {
            end(failure != null ? failure : new IllegalStateException("There is no tensor '" + name + "'"));
        } else if (!complete(made)) {
            made.close();
        }
    }

    private void end(Throwable failure) {
        Tensor made;
        synchronized (this) {
            made = tensor;
        }
        if (made != null) {
            made.close();
        }
        completeExceptionally(TransferExceptionTranslator.unwrap(failure));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        CompletableFuture<TransferReceipt> step;
        synchronized (this) {
            step = underWay;
        }
        if (step != null) {
            step.cancel(mayInterruptIfRunning);
        }
        return cancelled;
    }
}

package io.tensorfabric.service.push;

import io.tensorfabric.service.store.StoredTensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferException;
import io.tensorfabric.transfer.TransferReceipt;
import io.tensorfabric.transfer.TransferStatus;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Pushes tensors to a peer, a few at a time, and stops at the first failure. Thread-safe. */
final class PushJob {

    private final String id = UUID.randomUUID().toString();

    private final String file;

    private final String peer;

    private final PushOptions options;

    private final TensorTransferService transfers;

    private final Executor executor;

    private final Instant started = Instant.now();

    private final long startedNanos = System.nanoTime();

    private final CompletableFuture<PushJob> done = new CompletableFuture<>();

    private final Deque<StoredTensor.Use> waiting;

    private final Set<String> underWay = new HashSet<>();

    private final Set<CompletableFuture<TransferReceipt>> running = Collections.newSetFromMap(new IdentityHashMap<>());

    private final List<PushedTensor> results = new ArrayList<>();

    private final int tensors;

    private final long bytes;

    private long bytesDone;

    private long lastNanos = startedNanos;

    private @Nullable Throwable failure;

    PushJob(
            String file,
            String peer,
            Collection<StoredTensor.Use> uses,
            PushOptions options,
            TensorTransferService transfers,
            Executor executor) {
        this.file = file;
        this.peer = peer;
        this.waiting = new ArrayDeque<>(uses);
        this.tensors = uses.size();
        this.bytes = uses.stream().mapToLong(use -> use.tensor().byteLength()).sum();
        this.options = options;
        this.transfers = transfers;
        this.executor = executor;
    }

    String id() {
        return id;
    }

    String peer() {
        return peer;
    }

    /** Ends what still runs; does nothing for a push that has ended. */
    void abort(TransferException reason) {
        List<StoredTensor.Use> skipped;
        List<CompletableFuture<TransferReceipt>> cancelled;
        synchronized (this) {
            if (done.isDone()) {
                return;
            }
            if (failure == null) {
                failure = reason;
            }
            skipped = new ArrayList<>(waiting);
            waiting.clear();
            cancelled = new ArrayList<>(running);
        }
        skipped.forEach(StoredTensor.Use::close);
        cancelled.forEach(future -> future.completeExceptionally(reason));
    }

    /** Completes when nothing of the push is under way any more, also after a failure. */
    CompletableFuture<PushJob> done() {
        return done;
    }

    synchronized @Nullable Throwable failure() {
        return failure;
    }

    void start(int window) {
        if (tensors == 0) {
            done.complete(this);
            return;
        }
        for (int i = 0; i < Math.min(window, tensors); i++) {
            executor.execute(this::pushNext);
        }
    }

    @SuppressWarnings("UndefinedEquals") // the set goes by identity
    private void pushNext() {
        StoredTensor.Use use;
        synchronized (this) {
            use = waiting.poll();
            if (use == null) {
                return;
            }
            underWay.add(use.tensor().name());
        }
        long began = System.nanoTime();
        try {
            CompletableFuture<TransferReceipt> future = transfers.push(peer, use.tensor(), options);
            synchronized (this) {
                running.add(future);
            }
            future.whenCompleteAsync(
                    (receipt, error) -> {
                        synchronized (this) {
                            running.remove(future);
                        }
                        ended(use, began, receipt, error);
                    },
                    executor);
        } catch (RuntimeException ex) {
            ended(use, began, null, ex);
        }
    }

    private void ended(StoredTensor.Use use, long began, @Nullable TransferReceipt receipt, @Nullable Throwable error) {
        TensorDescriptor descriptor = use.tensor().descriptor();
        use.close();
        List<StoredTensor.Use> skipped = List.of();
        boolean last;
        synchronized (this) {
            lastNanos = System.nanoTime();
            underWay.remove(descriptor.name());
            Throwable cause =
                    error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
            results.add(result(descriptor, (lastNanos - began) / 1000, receipt, cause));
            if (cause == null) {
                bytesDone += descriptor.byteLength();
            } else if (failure == null) {
                failure = cause;
                skipped = new ArrayList<>(waiting);
                waiting.clear();
            }
            last = waiting.isEmpty() && underWay.isEmpty();
        }
        skipped.forEach(StoredTensor.Use::close);
        if (last) {
            done.complete(this);
        } else {
            pushNext();
        }
    }

    private static PushedTensor result(
            TensorDescriptor descriptor, long micros, @Nullable TransferReceipt receipt, @Nullable Throwable error) {
        return new PushedTensor(
                descriptor.name(),
                descriptor.dataType().name(),
                LongStream.of(descriptor.shape().dims()).boxed().toList(),
                descriptor.byteLength(),
                micros,
                receipt == null ? 0 : receipt.attempts(),
                receipt == null ? null : receipt.path(),
                error == null ? null : String.valueOf(error.getMessage()));
    }

    synchronized PushView view() {
        PushView.State state =
                !done.isDone() ? PushView.State.RUNNING : failure == null ? PushView.State.DONE : PushView.State.FAILED;
        int arrived =
                (int) results.stream().filter(result -> result.error() == null).count();
        long nanos = (state == PushView.State.RUNNING ? System.nanoTime() : lastNanos) - startedNanos;
        return new PushView(
                id,
                file,
                peer,
                state,
                tensors,
                arrived,
                bytes,
                bytesDone + (state == PushView.State.RUNNING ? bytesUnderWay() : 0),
                started,
                nanos / 1e6,
                failure == null ? null : failure.getMessage(),
                List.copyOf(results));
    }

    private long bytesUnderWay() {
        return transfers.transfers().stream()
                .filter(status -> status.direction() == TransferStatus.Direction.OUT
                        && status.ended() == null
                        && peer.equals(status.peer())
                        && underWay.contains(status.tensor()))
                .mapToLong(TransferStatus::placedBytes)
                .sum();
    }
}

package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Carrier;
import io.tensorfabric.bench.peers.Samples;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferReceipt;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Measures pushes to one peer. */
final class PushMeter {

    /** How long a push may take before the benchmark gives up. */
    static final long PATIENCE_SECONDS = 120;

    private static final PushOptions PLACED =
            PushOptions.defaults().withReceipt(ReceiptLevel.PLACED).withDeadline(Duration.ofSeconds(PATIENCE_SECONDS));

    private final TensorTransferService service;

    private final BenchMemory memory;

    private final String peer;

    PushMeter(TensorTransferService service, BenchMemory memory, String peer) {
        this.service = service;
        this.memory = memory;
        this.peer = peer;
    }

    /** Bytes a second with as many pushes of a size under way as all ways of a benchmark have. */
    double bandwidth(long size, double seconds) throws PushFailedException, InterruptedException {
        Series series = series(size, Carrier.depth(size), seconds);
        return size * series.pushesPerSecond();
    }

    /**
     * Pushes of one size.
     *
     * @param pushes how many ended
     * @param nanos how long all took
     */
    record Series(long pushes, long nanos) {

        double pushesPerSecond() {
            return pushes / (nanos / 1e9);
        }
    }

    /** Pushes for some time, with so many under way at once. */
    Series series(long size, int depth, double seconds) throws PushFailedException, InterruptedException {
        try (Tensor tensor = memory.tensor(size)) {
            ArrayDeque<CompletableFuture<TransferReceipt>> window = new ArrayDeque<>(depth);
            long pushes = 0;
            long start = System.nanoTime();
            long end = start + (long) (seconds * 1e9);
            while (System.nanoTime() < end) {
                if (window.size() == depth) {
                    await(window.remove());
                }
                window.add(service.push(peer, tensor, PLACED));
                pushes++;
            }
            for (CompletableFuture<TransferReceipt> future : window) {
                await(future);
            }
            return new Series(pushes, System.nanoTime() - start);
        }
    }

    /** Pushes so often, one after the other. */
    void pushes(long size, int count) throws PushFailedException, InterruptedException {
        try (Tensor tensor = memory.tensor(size)) {
            for (int i = 0; i < count; i++) {
                await(service.push(peer, tensor, PLACED));
            }
        }
    }

    /** Pushes one after the other until it is enough, at least one; tells when the first one is under way. */
    Series oneByOne(long size, BooleanSupplier enough, Runnable underWay)
            throws PushFailedException, InterruptedException {
        try (Tensor tensor = memory.tensor(size)) {
            long pushes = 0;
            long start = System.nanoTime();
            do {
                CompletableFuture<TransferReceipt> push = service.push(peer, tensor, PLACED);
                underWay.run();
                await(push);
                pushes++;
            } while (!enough.getAsBoolean());
            return new Series(pushes, System.nanoTime() - start);
        }
    }

    /**
     * How long pushes of a size take, one at a time, from the call until the caller knows that the peer's device has
     * acknowledged it.
     */
    Samples latency(long size, double seconds) throws PushFailedException, InterruptedException {
        try (Tensor tensor = memory.tensor(size)) {
            Samples samples = new Samples();
            long end = System.nanoTime() + (long) (seconds * 1e9);
            do {
                long before = System.nanoTime();
                await(service.push(peer, tensor, PLACED));
                samples.add(System.nanoTime() - before);
            } while (System.nanoTime() < end);
            return samples;
        }
    }

    private static void await(CompletableFuture<TransferReceipt> push)
            throws PushFailedException, InterruptedException {
        try {
            push.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException ex) {
            throw new PushFailedException("A push failed", ex);
        }
    }

    /** A push of the benchmark failed, which ends it. */
    static final class PushFailedException extends Exception {

        private static final long serialVersionUID = 1L;

        PushFailedException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}

package io.tensorfabric.bench;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Large pushes to a peer, one after the other on a thread of their own, until they are ended. */
final class BackgroundPushes implements AutoCloseable {

    private final CompletableFuture<PushMeter.Series> result = new CompletableFuture<>();

    private final long size;

    private volatile boolean ended;

    private BackgroundPushes(long size) {
        this.size = size;
    }

    /** Returns when the first of them is under way. */
    static BackgroundPushes start(PushMeter meter, long size) throws Exception {
        BackgroundPushes pushes = new BackgroundPushes(size);
        CompletableFuture<Void> first = new CompletableFuture<>();
        Thread thread = new Thread(() -> pushes.run(meter, first), "bench-load");
        thread.setDaemon(true);
        thread.start();
        first.get(PushMeter.PATIENCE_SECONDS, TimeUnit.SECONDS);
        return pushes;
    }

    private void run(PushMeter meter, CompletableFuture<Void> first) {
        try {
            result.complete(meter.oneByOne(size, () -> ended, () -> first.complete(null)));
        } catch (PushMeter.PushFailedException | InterruptedException | RuntimeException ex) {
            first.completeExceptionally(ex);
            result.completeExceptionally(ex);
        }
    }

    /** Lets the present one be the last, and returns the bytes a second of all. */
    double end() throws Exception {
        ended = true;
        return size * result.get(PushMeter.PATIENCE_SECONDS, TimeUnit.SECONDS).pushesPerSecond();
    }

    @Override
    public void close() {
        ended = true;
    }
}

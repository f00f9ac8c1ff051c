package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.MemoryRegion;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gets the source of a push registered: as it is when it lies in the pool, copied when it is small, else registered for the
 * time of the push. What may block runs on the blocking threads, all else on the caller's. Thread-safe.
 */
final class PushSources {

    private static final String HOLDER = "copy of a small tensor";

    /** Longer sources have their checksum computed on another thread than the caller's; no small push is longer. */
    private static final long MAX_INLINE_CHECKSUM = 1 << 20;

    private final Engine engine;
    private final GpuSources gpuSources;
    private final PullTargets pullTargets;

    PushSources(Engine engine) {
        this.engine = engine;
        this.gpuSources = new GpuSources(engine);
        this.pullTargets = new PullTargets(engine);
    }

    /** As {@link GpuSources#prepareForDevice}. */
    void prepareGpu(Push push, GpuMemory gpu, Consumer<@Nullable TransferException> next) {
        gpuSources.prepareForDevice(push, gpu, next);
    }

    /** Prepares an admitted push, whose owner is the caller, and routes it on. */
    void prepare(Push push, PeerChannel channel) {
        push.phase(PushPhase.PREPARING);
        if (push.isDecided()) {
            push.release();
            return;
        }
        if (push.isPull()) {
            pullTargets.prepare(push, channel);
            return;
        }
        GpuMemory gpu = engine.memory().gpus().find(push.tensor().kind());
        if (gpu != null) {
            gpuSources.prepare(push, gpu, channel);
            return;
        }
        try {
            if (prepareNow(push)) {
                channel.route(push);
            } else if (push.isSmall() && engine.options().whenFull() == WhenFull.FAIL) {
                push.failOwned(PushFailures.noSource(push, null));
            } else {
                engine.blocking(() -> prepareBlocking(push, channel));
            }
        } catch (RejectedExecutionException e) {
            push.failOwned(PushFailures.shuttingDown(push));
        } catch (RuntimeException e) {
            push.failOwned(PushFailures.noSource(push, e));
        }
    }

    /** False if it may block: for a long source, or since the pool has no buffer for a small one. */
    private boolean prepareNow(Push push) {
        long bytes = push.bytes();
        if (bytes == 0) {
            return true;
        }
        if (push.options().checksum()) {
            if (bytes > MAX_INLINE_CHECKSUM) {
                return false;
            }
            push.checksum = Checksums.of(push.source.address(), bytes);
        }
        MemoryRegion region = engine.memory().regionOf(push.source.address(), bytes);
        if (region != null) {
            push.source.useRegion(region.lkey());
            return true;
        }
        if (!push.isSmall()) {
            return false;
        }
        BufferLease lease = engine.memory().tryAcquire(bytes, HOLDER);
        if (lease == null) {
            return false;
        }
        copy(push, lease);
        return true;
    }

    private void prepareBlocking(Push push, PeerChannel channel) {
        if (push.isDecided()) {
            push.release();
            return;
        }
        try {
            registerOrCopy(push);
        } catch (RuntimeException e) {
            push.failOwned(PushFailures.noSource(push, e));
            return;
        }
        channel.route(push);
    }

    private void registerOrCopy(Push push) {
        long bytes = push.bytes();
        if (push.options().checksum() && bytes > MAX_INLINE_CHECKSUM) {
            push.checksum = Checksums.of(push.source.address(), bytes);
        }
        MemoryRegion region = engine.memory().regionOf(push.source.address(), bytes);
        if (region != null) {
            push.source.useRegion(region.lkey());
        } else if (push.isSmall()) {
            copy(push, engine.memory().acquire(bytes, HOLDER, Duration.ofNanos(push.remainingNanos())));
        } else {
            push.source.useRegistration(engine.memory().register(push.source.address(), bytes));
        }
    }

    private static void copy(Push push, BufferLease lease) {
        OffHeap.copy(push.source.address(), lease.address(), push.bytes());
        push.source.useCopy(lease);
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.cuda.CopyNotEndedException;
import io.tensorfabric.memory.cuda.GpuCopies.Mark;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.MemoryRegion;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Gets sources in GPU memory ready: waits for the work of the GPU that makes their bytes, then has them registered, or
 * copied through pinned host memory where there is no direct path. What may block runs on the blocking threads. Thread-safe.
 */
final class GpuSources {

    private static final String HOLDER = "staging of a tensor from a GPU";

    private static final int CHECKSUM_CHUNK = 1 << 20;

    private final Engine engine;

    GpuSources(Engine engine) {
        this.engine = engine;
    }

    /** Prepares a push of GPU memory, whose owner is the caller, and routes it on. */
    void prepare(Push push, GpuMemory gpu, PeerChannel channel) {
        Mark mark = push.source.mark();
        if (mark == null || mark.reached()) {
            prepareReached(push, gpu, channel);
            return;
        }
        mark.await(push::isDecided, failure -> {
            if (failure != null) {
                push.failOwned(PushFailures.noSource(push, failure));
            } else {
                prepareReached(push, gpu, channel);
            }
        });
    }

    private void prepareReached(Push push, GpuMemory gpu, PeerChannel channel) {
        if (push.isDecided()) {
            push.release();
            return;
        }
        try {
            push.source.path(pathOf(gpu));
            push.source.share(mayShare(push, gpu) ? gpu : null);
            boolean ready = push.bytes() == 0 || (!push.options().checksum() && isReady(push, gpu));
            if (ready) {
                channel.route(push);
            } else {
                engine.blocking(() -> prepareBlocking(push, gpu, channel));
            }
        } catch (RejectedExecutionException e) {
            push.failOwned(PushFailures.shuttingDown(push));
        } catch (RuntimeException e) {
            push.failOwned(PushFailures.noSource(push, e));
        }
    }

    private static TransferPath pathOf(GpuMemory gpu) {
        return gpu.path().isDirect() ? TransferPath.GPU_DIRECT : TransferPath.HOST_STAGED;
    }

    /** Whether the GPU may copy to the peer by itself: the link decides, when there is one. */
    private boolean mayShare(Push push, GpuMemory gpu) {
        if (push.bytes() == 0 || !engine.memory().gpus().cudaIpc()) {
            return false;
        }
        PeerLink link = engine.findLink(push.peer());
        return link == null || !link.sender().ipc().isOff(gpu.kind());
    }

    private static boolean isReady(Push push, GpuMemory gpu) {
        return push.source.isShared() || usePooled(push, gpu);
    }

    private static boolean usePooled(Push push, GpuMemory gpu) {
        MemoryRegion region = gpu.path().isDirect() ? gpu.regionOf(push.source.address(), push.bytes()) : null;
        if (region != null) {
            push.source.useRegion(region.lkey());
        }
        return region != null;
    }

    private void prepareBlocking(Push push, GpuMemory gpu, PeerChannel channel) {
        if (push.isDecided()) {
            push.release();
            return;
        }
        try {
            if (push.options().checksum()) {
                push.checksum = checksum(gpu, push.source.address(), push.bytes(), engine.memory());
            }
        } catch (RuntimeException e) {
            push.failOwned(PushFailures.noSource(push, e));
            return;
        }
        if (push.source.isShared()) {
            channel.route(push);
            return;
        }
        prepareForDevice(push, gpu, failure -> {
            if (failure == null) {
                channel.route(push);
            } else {
                push.failOwned(failure);
            }
        });
    }

    /**
     * Gets a source ready for the verbs device, registered or staged. Blocks.
     *
     * @param next told once, here or on a thread of the GPU, with what failed or {@code null}
     */
    void prepareForDevice(Push push, GpuMemory gpu, Consumer<@Nullable TransferException> next) {
        try {
            push.source.path(pathOf(gpu));
            if (!gpu.path().isDirect()) {
                stage(push, gpu, next);
                return;
            }
            if (!usePooled(push, gpu)) {
                push.source.useGpu(gpu.register(push.source.address(), push.bytes()));
            }
        } catch (RuntimeException e) {
            next.accept(PushFailures.noSource(push, e));
            return;
        }
        next.accept(null);
    }

    private void stage(Push push, GpuMemory gpu, Consumer<@Nullable TransferException> next) {
        Duration patience = Duration.ofNanos(push.remainingNanos());
        if (!push.isSmall()) {
            BufferLease ring = engine.memory().acquire(StagedSource.ringBytes(push.bytes()), HOLDER, patience);
            push.source.useStaged(new StagedSource(gpu, push.source.address(), push.bytes(), ring));
            next.accept(null);
            return;
        }
        BufferLease copy = engine.memory().acquire(push.bytes(), HOLDER, patience);
        long device = push.source.address();
        push.source.useCopy(copy);
        gpu.copies()
                .toHost(
                        device,
                        copy.address(),
                        push.bytes(),
                        failure -> next.accept(failure == null ? null : PushFailures.noSource(push, failure)));
    }

    /** CRC32C of GPU memory, read through pinned host memory; blocks. */
    static int checksum(GpuMemory gpu, long address, long bytes, TransferMemory memory) {
        CRC32C crc = new CRC32C();
        int chunk = (int) Math.min(CHECKSUM_CHUNK, bytes);
        BufferLease buffer = memory.acquire(chunk, "checksum of a tensor in a GPU", gpu.copyTimeout());
        try {
            for (long done = 0; done < bytes; done += chunk) {
                int length = (int) Math.min(chunk, bytes - done);
                gpu.copies().toHost(address + done, buffer.address(), length, gpu.copyTimeout());
                crc.update(OffHeap.asByteBuffer(buffer.address(), length));
            }
        } catch (RuntimeException e) {
            CopyNotEndedException.giveBack(e, buffer::close);
            throw e;
        }
        buffer.close();
        return (int) crc.getValue();
    }
}

package io.tensorfabric.memory.cuda;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Copies between host memory and one GPU, and to GPU memory of other processes, on streams of their own, which wait for
 * nobody else's work; and waiting for work of the application. Thread-safe.
 */
public final class GpuCopies implements AutoCloseable {

    private final CudaContext context;

    private final CudaEventPool events = new CudaEventPool();

    private final CudaWatcher watcher;

    private final CUstream down;

    private final CUstream up;

    /** To memory of other processes: a stream each for small and large copies, so that no small one waits for a large one. */
    private final CUstream acrossSmall;

    private final CUstream acrossLarge;

    private boolean closed;

    /** What follows a copy or other work of the GPU; runs on a thread of the GPU's and must not block. */
    @FunctionalInterface
    public interface Next {

        /**
         * It is done, or failed.
         *
         * @param failure why it failed, or {@code null}
         */
        void ended(@Nullable RuntimeException failure);
    }

    private static boolean neverUnwanted() {
        return false;
    }

    GpuCopies(CudaContext context) {
        this.context = context;
        this.down = context.call(GpuCopies::newStream);
        this.up = context.call(GpuCopies::newStream);
        this.acrossSmall = context.call(GpuCopies::newStream);
        this.acrossLarge = context.call(GpuCopies::newStream);
        this.watcher = new CudaWatcher("fabric-gpu-" + context.ordinal());
    }

    private static CUstream newStream() {
        CUstream stream = new CUstream();
        CudaDriver.check(
                "cuStreamCreate",
                "a stream for copies",
                () -> JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        return stream;
    }

    /** Copies to pinned host memory; returns at once. */
    public void toHost(long device, long host, long bytes, Next next) {
        start(
                down,
                "cuMemcpyDtoHAsync",
                bytes,
                () -> JCudaDriver.cuMemcpyDtoHAsync(HostPointer.to(host), RawPointer.to(device), bytes, down),
                next);
    }

    /** Copies from pinned host memory; returns at once. */
    public void toDevice(long host, long device, long bytes, Next next) {
        start(
                up,
                "cuMemcpyHtoDAsync",
                bytes,
                () -> JCudaDriver.cuMemcpyHtoDAsync(RawPointer.to(device), HostPointer.to(host), bytes, up),
                next);
    }

    /** Copies within the GPU, waiting for the end. */
    public void onDevice(long source, long target, long bytes, Duration timeout) {
        await(
                "GPU",
                timeout,
                next -> start(
                        up,
                        "cuMemcpyDtoDAsync",
                        bytes,
                        () -> JCudaDriver.cuMemcpyDtoDAsync(RawPointer.to(target), RawPointer.to(source), bytes, up),
                        next));
    }

    /**
     * Copies to memory of another process; returns at once.
     *
     * @param small whether it goes with the small copies, which do not wait for large ones
     */
    public void across(long source, long target, long bytes, boolean small, Next next) {
        CUstream stream = small ? acrossSmall : acrossLarge;
        start(
                stream,
                "cuMemcpyDtoDAsync",
                bytes,
                () -> JCudaDriver.cuMemcpyDtoDAsync(RawPointer.to(target), RawPointer.to(source), bytes, stream),
                next);
    }

    /** Makes memory of the GPU zeros, waiting for the end. */
    void zero(long device, long bytes, Duration timeout) {
        await(
                "GPU",
                timeout,
                next -> start(
                        up,
                        "cuMemsetD8Async",
                        bytes,
                        () -> JCudaDriver.cuMemsetD8Async(RawPointer.to(device), (byte) 0, bytes, up),
                        next));
    }

    private void start(CUstream stream, String name, long bytes, CudaDriver.Call copy, Next next) {
        CUevent event = context.call(() -> {
            CudaDriver.check(name, bytes + " bytes of cuda:" + context.ordinal(), copy);
            return events.record(stream);
        });
        watch(event, GpuCopies::neverUnwanted, next);
    }

    private void watch(CUevent event, BooleanSupplier unwanted, Next next) {
        watcher.watch(event, unwanted, failure -> {
            events.give(event);
            next.ended(failure);
        });
    }

    /** As {@link #toHost}, waiting for the end. */
    public void toHost(long device, long host, long bytes, Duration timeout) {
        await("host", timeout, next -> toHost(device, host, bytes, next));
    }

    /** As {@link #toDevice}, waiting for the end. */
    public void toDevice(long host, long device, long bytes, Duration timeout) {
        await("GPU", timeout, next -> toDevice(host, device, bytes, next));
    }

    /** Begins a copy. */
    private interface Begin {
        void with(Next next);
    }

    private void await(String to, Duration timeout, Begin copy) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        copy.with(failure -> {
            if (failure == null) {
                end.complete(null);
            } else {
                end.completeExceptionally(failure);
            }
        });
        try {
            end.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new CopyNotEndedException(
                    "A copy to the " + to + " of cuda:" + context.ordinal() + " did not end in " + timeout, end, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CopyNotEndedException(
                    "Waiting for a copy to the " + to + " of cuda:" + context.ordinal() + " was interrupted", end, e);
        }
    }

    /**
     * Marks the work that a push waits for; to be called by the thread that gave it to the GPU.
     *
     * @param wait what to wait for, {@code null} for the legacy default stream
     * @throws CudaDriverException if the stream or event is not valid
     */
    public Mark mark(@Nullable CudaWait wait) {
        if (wait == null) {
            return context.call(() -> new Mark(events.record(new CUstream()), events::give));
        }
        CUevent given = wait.event();
        if (given != null) {
            return new Mark(given, event -> {});
        }
        CUstream stream = wait.stream();
        return stream == null ? mark(null) : markStream(stream);
    }

    /** The stream may belong to a context of the application, in which the event must be made. */
    private Mark markStream(CUstream stream) {
        CUcontext owner = new CUcontext();
        context.run(() -> CudaDriver.check(
                "cuStreamGetCtx", "the stream that a push waits for", () -> JCudaDriver.cuStreamGetCtx(stream, owner)));
        CudaDriver.check("cuCtxPushCurrent", "the stream's context", () -> JCudaDriver.cuCtxPushCurrent(owner));
        try {
            CUevent event = CudaEventPool.create();
            CudaDriver.check(
                    "cuEventRecord",
                    "the stream that a push waits for",
                    () -> JCudaDriver.cuEventRecord(event, stream));
            return new Mark(event, CudaEventPool::destroy);
        } finally {
            CUcontext popped = new CUcontext();
            CudaDriver.check("cuCtxPopCurrent", "the stream's context", () -> JCudaDriver.cuCtxPopCurrent(popped));
        }
    }

    /** A point in the work of the GPU, to be closed when nobody waits for it any more. Thread-safe. */
    public final class Mark implements AutoCloseable {

        private final CUevent event;

        private final Consumer<CUevent> end;

        private final AtomicBoolean ended = new AtomicBoolean();

        private Mark(CUevent event, Consumer<CUevent> end) {
            this.event = event;
            this.end = end;
        }

        /** Whether the GPU has come here. */
        public boolean reached() {
            return CudaDriver.code(() -> JCudaDriver.cuEventQuery(event)) == CudaError.SUCCESS;
        }

        /** Calls back when the GPU has come here, or soon after nobody wants that any more; closes the mark before. */
        public void await(BooleanSupplier unwanted, Next next) {
            watcher.watch(event, unwanted, failure -> {
                close();
                next.ended(failure);
            });
        }

        /** Gives the event back. Further calls do nothing. */
        @Override
        public void close() {
            if (ended.compareAndSet(false, true)) {
                end.accept(event);
            }
        }
    }

    /** Ends after the copies under way. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        watcher.close();
        if (!watcher.isIdle()) {
            return;
        }
        context.run(() -> {
            events.close();
            for (CUstream stream : List.of(down, up, acrossSmall, acrossLarge)) {
                CudaDriver.check("cuStreamDestroy", "a stream for copies", () -> JCudaDriver.cuStreamDestroy(stream));
            }
        });
    }
}

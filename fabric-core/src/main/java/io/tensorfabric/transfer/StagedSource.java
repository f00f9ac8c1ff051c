package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.cuda.GpuMemory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A tensor in GPU memory that is written out of pinned host memory: a ring of chunks, into which the GPU copies ahead of
 * the wire. A chunk is copied to again when the device is done with it, so that the slower of both sets the pace.
 * {@link #start} and {@link #done} are called under the lock of one link at a time, everything else by anybody.
 */
final class StagedSource implements AutoCloseable {

    /** Long against the start of a copy, short against the pool. */
    static final long CHUNK = 2L << 20;

    /** Two that the GPU fills while the device works with two. */
    private static final int CHUNKS = 4;

    private final GpuMemory gpu;

    private final long device;

    private final long bytes;

    private final BufferLease ring;

    /** Changes with each attempt: copies for an earlier one count no more. */
    private int generation;

    private @Nullable Listener listener;

    private long started;

    private long ready;

    private long done;

    private int copies;

    /** Who waits for chunks. Called on a thread of the GPU. */
    interface Listener {

        void ready();

        void failed(RuntimeException failure);
    }

    /** @param ring of {@link #ringBytes} bytes, owned from now on */
    StagedSource(GpuMemory gpu, long device, long bytes, BufferLease ring) {
        this.gpu = gpu;
        this.device = device;
        this.bytes = bytes;
        this.ring = ring;
    }

    /** Pinned memory for a tensor. */
    static long ringBytes(long bytes) {
        return Math.min(CHUNK * CHUNKS, (bytes + CHUNK - 1) / CHUNK * CHUNK);
    }

    /** Begins an attempt from the first byte on. */
    void start(Listener waiting) {
        synchronized (this) {
            generation++;
            listener = waiting;
            started = 0;
            ready = 0;
            done = 0;
        }
        copyAhead();
    }

    /** Bytes from the first one on that can be written. */
    synchronized long ready() {
        return ready;
    }

    /** Where a byte is that can be written. */
    long address(long offset) {
        return ring.address() + offset % ring.length();
    }

    int lkey() {
        return ring.region().lkey();
    }

    /** Bytes from an offset on that lie in one piece. */
    long contiguous(long offset, long wanted) {
        return Math.min(wanted, CHUNK - offset % CHUNK);
    }

    /** The device is done with the bytes before an offset. */
    void done(long offset) {
        synchronized (this) {
            done = offset / CHUNK * CHUNK;
        }
        copyAhead();
    }

    private void copyAhead() {
        while (true) {
            long offset;
            long length;
            int current;
            synchronized (this) {
                if (started == bytes || started - done >= ring.length()) {
                    return;
                }
                offset = started;
                length = Math.min(CHUNK, bytes - offset);
                started += length;
                copies++;
                current = generation;
            }
            copy(offset, length, current);
        }
    }

    private void copy(long offset, long length, int current) {
        try {
            gpu.copies().toHost(device + offset, address(offset), length, failure -> ended(length, current, failure));
        } catch (RuntimeException e) {
            ended(length, current, e);
        }
    }

    private void ended(long length, int current, @Nullable RuntimeException failure) {
        Listener waiting;
        synchronized (this) {
            copies--;
            notifyAll();
            if (current != generation) {
                return;
            }
            waiting = listener;
            if (failure == null) {
                ready += length;
            }
        }
        if (waiting == null) {
            return;
        }
        if (failure == null) {
            waiting.ready();
        } else {
            waiting.failed(failure);
        }
    }

    /**
     * Gives the ring back after the copies under way.
     *
     * @throws IllegalStateException if they do not end in time: neither the ring nor the tensor's memory may be used
     */
    @Override
    public void close() {
        synchronized (this) {
            generation++;
            listener = null;
            awaitCopies(gpu.copyTimeout());
        }
        ring.close();
    }

    private void awaitCopies(Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        while (copies > 0) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new IllegalStateException(copies + " copies from " + gpu.kind() + " did not end in " + timeout);
            }
            try {
                wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Waiting for copies from " + gpu.kind() + " was interrupted", e);
            }
        }
    }
}

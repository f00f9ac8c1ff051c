package io.tensorfabric.service.demo;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.memory.cuda.CudaDevice;
import io.tensorfabric.memory.cuda.CudaExtensions;
import io.tensorfabric.memory.cuda.CudaPlatform;
import io.tensorfabric.memory.cuda.CudaPointers;
import io.tensorfabric.memory.cuda.CudaWait;
import io.tensorfabric.memory.cuda.GpuCopies;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.memory.cuda.GpuMemoryOptions;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsProvider;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * Checks GPU memory against the driver that is there and prints one table: devices and attributes, the path to a verbs
 * device, a dma-buf, exact copies, the order with a stream, the speed of staging beside plain copies, and CUDA IPC with
 * another process. Exits with 0 only if all
 * is well.
 */
public final class GpuCheck {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int MIB = 1 << 20;

    private static final int CHUNK = 2 * MIB;

    private static final int CHUNKS = 4;

    private static final int ROUNDS = 100;

    private static final int TOTAL = 256 * MIB;

    private static final MemoryPoolOptions POOL =
            new MemoryPoolOptions(TOTAL, 2L * TOTAL, GpuMemoryOptions.BLOCK, Duration.ofSeconds(5));

    private final PrintStream out;

    private boolean failed;

    private GpuCheck(PrintStream out) {
        this.out = out;
    }

    /** Takes no arguments. */
    public static void main(String[] arguments) {
        System.exit(new GpuCheck(System.out).run() ? 0 : 1);
    }

    private boolean run() {
        CudaPlatform platform = CudaPlatform.detect();
        if (!platform.isAvailable()) {
            row("-", "driver", false, platform.unavailabilityReason().orElse("no reason known"));
            return false;
        }
        withDomain(domain -> platform.devices().forEach(device -> check(platform, device, domain)));
        if (failed) {
            out.println("gpu failed");
        }
        return !failed;
    }

    /** Runs something with the first verbs device that is there, the software device if none is. */
    static void withDomain(Consumer<ProtectionDomain> action) {
        VerbsProvider provider = ServiceLoader.load(VerbsProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(VerbsProvider::isAvailable)
                .filter(candidate -> !candidate.devices().isEmpty())
                .findFirst()
                .orElseThrow();
        try (VerbsContext context = provider.devices().get(0).open();
                ProtectionDomain domain = context.allocateProtectionDomain()) {
            action.accept(domain);
        }
    }

    static GpuMemory open(CudaPlatform platform, int ordinal, ProtectionDomain domain) {
        return GpuMemory.open(
                platform, ordinal, domain, GpuMemoryOptions.defaults().withPool(POOL), false);
    }

    static MemoryRegionPool hostPool(GpuMemory memory, ProtectionDomain domain) {
        return MemoryRegionPool.create("host", domain, memory.pinnedHostMemory(), POOL.withMinBlock(4096), false);
    }

    private void row(String gpu, String what, boolean good, String detail) {
        failed |= !good;
        out.printf(Locale.ROOT, "%-7s %-16s %-6s %s%n", gpu, what, good ? "ok" : "FAILED", detail);
    }

    private void check(CudaPlatform platform, CudaDevice device, ProtectionDomain domain) {
        String gpu = "cuda:" + device.ordinal();
        row(
                gpu,
                "device",
                true,
                device.name() + ", " + device.pciAddress() + ", compute " + device.computeCapability() + ", "
                        + (device.totalMemory() >> 20) + " MiB");
        row(gpu, "attributes", true, device.direct().toString());
        try (GpuMemory memory = open(platform, device.ordinal(), domain)) {
            row(
                    gpu,
                    "path",
                    true,
                    memory.path().kind() + " to " + domain.context().deviceName() + ": "
                            + memory.path().reason());
            try (MemoryRegionPool host = hostPool(memory, domain);
                    BufferLease onDevice = memory.pool().acquire(TOTAL, "check");
                    BufferLease onHost = host.acquire(TOTAL, "check")) {
                dmaBuf(gpu, memory, onDevice);
                copies(gpu, memory, onDevice, onHost);
                order(gpu, memory, onDevice, onHost);
                speed(gpu, memory, onDevice, onHost);
                ipc(gpu, memory, onHost);
            }
        } catch (RuntimeException e) {
            row(gpu, "memory", false, String.valueOf(e.getMessage()));
        }
    }

    private void ipc(String gpu, GpuMemory memory, BufferLease host) {
        try {
            row(gpu, "ipc", true, new IpcCheck(memory, host).run());
        } catch (IOException | RuntimeException e) {
            row(gpu, "ipc", false, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            row(gpu, "ipc", false, "interrupted");
        }
    }

    private void copies(String gpu, GpuMemory memory, BufferLease device, BufferLease host) {
        byte[] sent = new byte[MIB + 13];
        new Random(1).nextBytes(sent);
        OffHeap.copyFromArray(sent, 0, host.address(), sent.length);
        memory.copies().toDevice(host.address(), device.address() + 3, sent.length, PATIENCE);
        OffHeap.fill(host.address(), sent.length, (byte) 0);
        memory.copies().toHost(device.address() + 3, host.address(), sent.length, PATIENCE);
        byte[] back = new byte[sent.length];
        OffHeap.copyToArray(host.address(), back, 0, back.length);
        row(gpu, "copies", java.util.Arrays.equals(sent, back), sent.length + " bytes up and down, unaligned");
    }

    /** Fills on a stream of its own, followed at once by a copy that waits for that stream. */
    private void order(String gpu, GpuMemory memory, BufferLease device, BufferLease host) {
        inContext(memory, () -> {
            CUstream stream = new CUstream();
            must(JCudaDriver.cuStreamCreate(stream, 1));
            int exact = 0;
            for (int round = 1; round <= ROUNDS; round++) {
                for (int fill = 0; fill < 8; fill++) {
                    must(JCudaDriver.cuMemsetD8Async(
                            CudaPointers.pointer(device.address()), (byte) (fill == 7 ? round : 0), TOTAL, stream));
                }
                await(memory.copies().mark(CudaWait.stream(stream)));
                memory.copies().toHost(device.address() + TOTAL - MIB, host.address(), MIB, PATIENCE);
                exact += OffHeap.getByte(host.address() + MIB - 1) == (byte) round ? 1 : 0;
            }
            must(JCudaDriver.cuStreamDestroy(stream));
            row(gpu, "stream order", exact == ROUNDS, exact + " of " + ROUNDS + " saw the last fill");
        });
    }

    private static void inContext(GpuMemory memory, Runnable action) {
        CUdevice number = new CUdevice();
        CUcontext context = new CUcontext();
        must(JCudaDriver.cuDeviceGet(number, memory.device().ordinal()));
        must(JCudaDriver.cuDevicePrimaryCtxRetain(context, number));
        must(JCudaDriver.cuCtxPushCurrent(context));
        try {
            action.run();
        } finally {
            must(JCudaDriver.cuCtxPopCurrent(new CUcontext()));
            must(JCudaDriver.cuDevicePrimaryCtxRelease(number));
        }
    }

    /** Exports one, whatever the verbs device makes of it. A GPU without is no failure: there are other paths. */
    private void dmaBuf(String gpu, GpuMemory memory, BufferLease device) {
        CudaExtensions driver = ServiceLoader.load(CudaExtensions.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(CudaExtensions::isAvailable)
                .findFirst()
                .orElse(null);
        if (driver == null) {
            row(gpu, "dma-buf", true, "not tried, the native part of the fabric is not available");
            return;
        }
        inContext(memory, () -> {
            long descriptor = driver.exportDmaBuf(device.address(), CHUNK);
            boolean promised = memory.device().direct().dmaBuf();
            String answer =
                    descriptor < 0 ? "the driver answered " + -descriptor : "exported " + (CHUNK >> 10) + " KiB";
            row(gpu, "dma-buf", descriptor >= 0 || !promised, answer);
            if (descriptor >= 0) {
                driver.close((int) descriptor);
            }
        });
    }

    private static void await(GpuCopies.Mark mark) {
        CompletableFuture<Void> reached = new CompletableFuture<>();
        mark.await(() -> false, failure -> {
            if (failure == null) {
                reached.complete(null);
            } else {
                reached.completeExceptionally(failure);
            }
        });
        reached.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static void must(int result) {
        if (result != 0) {
            throw new IllegalStateException("The CUDA driver answered " + result);
        }
    }

    /** Chunks as staging copies them, beside one plain copy of the same bytes, alternating. */
    private void speed(String gpu, GpuMemory memory, BufferLease device, BufferLease host) {
        double plain = 0;
        double staged = 0;
        for (int round = 0; round < 3; round++) {
            long start = System.nanoTime();
            memory.copies().toHost(device.address(), host.address(), TOTAL, PATIENCE);
            plain = Math.max(plain, (double) TOTAL / (System.nanoTime() - start));
            start = System.nanoTime();
            copyInChunks(memory, device, host);
            staged = Math.max(staged, (double) TOTAL / (System.nanoTime() - start));
        }
        row(
                gpu,
                "staging",
                true,
                String.format(
                        Locale.ROOT,
                        "%.2f GB/s in chunks of %d KiB, %.2f GB/s in one pinned copy, ratio %.2f",
                        staged,
                        CHUNK >> 10,
                        plain,
                        staged / plain));
    }

    private static void copyInChunks(GpuMemory memory, BufferLease device, BufferLease host) {
        CompletableFuture<?>[] ring = new CompletableFuture<?>[CHUNKS];
        for (int at = 0; at < TOTAL; at += CHUNK) {
            int slot = at / CHUNK % CHUNKS;
            if (ring[slot] != null) {
                ring[slot].orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            }
            CompletableFuture<Void> end = new CompletableFuture<>();
            ring[slot] = end;
            memory.copies().toHost(device.address() + at, host.address() + (long) slot * CHUNK, CHUNK, failure -> {
                if (failure == null) {
                    end.complete(null);
                } else {
                    end.completeExceptionally(failure);
                }
            });
        }
        CompletableFuture.allOf(ring)
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }
}

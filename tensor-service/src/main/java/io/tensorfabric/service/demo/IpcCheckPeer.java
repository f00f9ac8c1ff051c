package io.tensorfabric.service.demo;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.memory.cuda.CudaPlatform;
import io.tensorfabric.memory.cuda.CudaPointers;
import io.tensorfabric.memory.cuda.GpuImport;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.ProtectionDomain;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUevent;
import jcuda.driver.CUipcEventHandle;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** The other process of {@link IpcCheck}. Takes the number of the GPU, and handles from its standard input. */
public final class IpcCheckPeer {

    private static final int PART = 1 << 20;

    private final GpuMemory memory;

    private final BufferedReader in;

    private final PrintStream out;

    private final BufferLease host;

    private IpcCheckPeer(GpuMemory memory, BufferLease host, BufferedReader in, PrintStream out) {
        this.memory = memory;
        this.host = host;
        this.in = in;
        this.out = out;
    }

    /** Fails with a stack trace, which the first process shows. */
    public static void main(String[] arguments) throws Exception {
        int ordinal = Integer.parseInt(arguments[0]);
        GpuCheck.withDomain(domain -> run(ordinal, domain));
        // Threads of the driver's binding must not hold up the end.
        System.exit(0);
    }

    private static void run(int ordinal, ProtectionDomain domain) {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (GpuMemory memory = GpuCheck.open(CudaPlatform.detect(), ordinal, domain);
                MemoryRegionPool pool = GpuCheck.hostPool(memory, domain);
                BufferLease host = pool.acquire(IpcCheck.BYTES, "check")) {
            new IpcCheckPeer(memory, host, in, System.out).run();
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What this process leaves at the end of the memory of the first one. */
    static byte[] written() {
        byte[] bytes = new byte[PART];
        new Random(10).nextBytes(bytes);
        return bytes;
    }

    /** JCuda shows a handle's bytes to nobody. */
    static byte[] bytesOf(CUipcEventHandle handle) {
        try {
            Field field = CUipcEventHandle.class.getDeclaredField("reserved");
            field.setAccessible(true);
            return (byte[]) field.get(handle);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("JCuda's handles for events cannot be read", e);
        }
    }

    private void run() throws IOException, ReflectiveOperationException {
        CUdevice number = new CUdevice();
        CUcontext context = new CUcontext();
        IpcCheck.check(JCudaDriver.cuDeviceGet(number, memory.device().ordinal()));
        IpcCheck.check(JCudaDriver.cuDevicePrimaryCtxRetain(context, number));
        IpcCheck.check(JCudaDriver.cuCtxPushCurrent(context));
        try (GpuImport opened = memory.open(Base64.getDecoder().decode(in.readLine()))) {
            CUipcEventHandle handle = new CUipcEventHandle();
            byte[] bytes = Base64.getDecoder().decode(in.readLine());
            System.arraycopy(bytes, 0, bytesOf(handle), 0, bytes.length);
            CUevent event = new CUevent();
            IpcCheck.check(JCudaDriver.cuIpcOpenEventHandle(event, handle));
            read(opened);
            order(opened, event);
            IpcCheck.check(JCudaDriver.cuEventDestroy(event));
            speed(opened);
        } finally {
            IpcCheck.check(JCudaDriver.cuCtxPopCurrent(new CUcontext()));
            IpcCheck.check(JCudaDriver.cuDevicePrimaryCtxRelease(number));
        }
    }

    private void read(GpuImport opened) {
        byte[] pattern = new byte[PART];
        new Random(9).nextBytes(pattern);
        memory.copies().toHost(opened.address(), host.address(), IpcCheck.BYTES, IpcCheck.PATIENCE);
        byte[] found = new byte[PART];
        for (int at = 0; at < IpcCheck.BYTES; at += PART) {
            OffHeap.copyToArray(host.address() + at, found, 0, PART);
            if (!java.util.Arrays.equals(found, pattern)) {
                throw new IllegalStateException("The opened memory has other bytes at " + at);
            }
        }
        say("same bytes");
    }

    private void order(GpuImport opened, CUevent event) throws IOException {
        CUstream stream = new CUstream();
        IpcCheck.check(JCudaDriver.cuStreamCreate(stream, 1));
        Pointer target = Pointer.to(OffHeap.asByteBuffer(host.address(), PART));
        for (int round = 1; round <= IpcCheck.ROUNDS; round++) {
            String line = in.readLine();
            IpcCheck.check(JCudaDriver.cuStreamWaitEvent(stream, event, 0));
            IpcCheck.check(JCudaDriver.cuMemcpyDtoHAsync(
                    target, CudaPointers.pointer(opened.address() + IpcCheck.BYTES - PART), PART, stream));
            IpcCheck.check(JCudaDriver.cuStreamSynchronize(stream));
            boolean last = OffHeap.getByte(host.address() + PART - 1) == Byte.parseByte(line);
            say(last ? "last fill" : "an earlier fill in round " + round);
        }
        IpcCheck.check(JCudaDriver.cuStreamDestroy(stream));
    }

    /** Copies into the other process's memory beside copies within the own, alternating, then leaves known bytes there. */
    private void speed(GpuImport opened) {
        try (BufferLease own = memory.pool().acquire(2L * IpcCheck.BYTES, "check")) {
            double across = 0;
            double within = 0;
            for (int round = 0; round < 5; round++) {
                across = Math.max(across, speed(own.address(), opened.address()));
                within = Math.max(within, speed(own.address(), own.address() + IpcCheck.BYTES));
            }
            OffHeap.copyFromArray(written(), 0, host.address(), PART);
            memory.copies().toDevice(host.address(), own.address(), PART, IpcCheck.PATIENCE);
            memory.copies().onDevice(own.address(), opened.address() + IpcCheck.BYTES - PART, PART, IpcCheck.PATIENCE);
            say(String.format(
                    Locale.ROOT,
                    "%.2f GB/s into its memory, %.2f GB/s within its own, ratio %.2f",
                    across,
                    within,
                    across / within));
        }
    }

    private double speed(long source, long target) {
        long start = System.nanoTime();
        CompletableFuture<Void> end = new CompletableFuture<>();
        memory.copies().across(source, target, IpcCheck.BYTES, false, failure -> {
            if (failure == null) {
                end.complete(null);
            } else {
                end.completeExceptionally(failure);
            }
        });
        end.orTimeout(IpcCheck.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        return (double) IpcCheck.BYTES / (System.nanoTime() - start);
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }
}

package io.tensorfabric.service.demo;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.cuda.CudaPointers;
import io.tensorfabric.memory.cuda.GpuExport;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.offheap.OffHeap;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUevent;
import jcuda.driver.CUipcEventHandle;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * Checks CUDA IPC between this process and another one, {@link IpcCheckPeer}: the other one opens memory of this one, reads it,
 * waits for an event of this one, and copies into it. Handles go through the other one's standard input.
 */
final class IpcCheck {

    static final int BYTES = 64 << 20;

    static final int ROUNDS = 20;

    static final Duration PATIENCE = Duration.ofSeconds(30);

    /** CU_EVENT_DISABLE_TIMING and CU_EVENT_INTERPROCESS. */
    private static final int EVENT_FLAGS = 2 | 4;

    private final GpuMemory memory;

    private final BufferLease host;

    /** @param host pinned, of {@link #BYTES} bytes */
    IpcCheck(GpuMemory memory, BufferLease host) {
        this.memory = memory;
        this.host = host;
    }

    /**
     * Runs it.
     *
     * @return what to say in the table
     * @throws IllegalStateException that says what failed
     */
    String run() throws IOException, InterruptedException {
        byte[] pattern = new byte[1 << 20];
        new Random(9).nextBytes(pattern);
        GpuExport export = memory.export(BYTES);
        for (int at = 0; at < BYTES; at += pattern.length) {
            OffHeap.copyFromArray(pattern, 0, host.address() + at, pattern.length);
        }
        memory.copies().toDevice(host.address(), export.address(), BYTES, PATIENCE);
        Process peer = start();
        String said;
        try (BufferedReader from = peer.inputReader(StandardCharsets.UTF_8);
                BufferedWriter to =
                        new BufferedWriter(new OutputStreamWriter(peer.getOutputStream(), StandardCharsets.UTF_8))) {
            said = talk(export, from, to);
        } finally {
            if (!peer.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                peer.destroyForcibly().waitFor();
            }
        }
        // Not before: the other process has it open.
        must(peer.exitValue() == 0, "the other process ended with " + peer.exitValue());
        memory.copies().toHost(export.address(), host.address(), BYTES, PATIENCE);
        byte[] back = new byte[pattern.length];
        OffHeap.copyToArray(host.address() + BYTES - back.length, back, 0, back.length);
        export.close();
        must(Arrays.equals(back, IpcCheckPeer.written()), "what the other process wrote is not here");
        return said;
    }

    private String talk(GpuExport export, BufferedReader from, BufferedWriter to) throws IOException {
        CUdevice number = new CUdevice();
        CUcontext context = new CUcontext();
        check(JCudaDriver.cuDeviceGet(number, memory.device().ordinal()));
        check(JCudaDriver.cuDevicePrimaryCtxRetain(context, number));
        check(JCudaDriver.cuCtxPushCurrent(context));
        try {
            CUevent event = new CUevent();
            CUstream stream = new CUstream();
            CUipcEventHandle handle = new CUipcEventHandle();
            check(JCudaDriver.cuEventCreate(event, EVENT_FLAGS));
            check(JCudaDriver.cuIpcGetEventHandle(handle, event));
            check(JCudaDriver.cuStreamCreate(stream, 1));
            say(to, Base64.getEncoder().encodeToString(export.handle()));
            say(to, Base64.getEncoder().encodeToString(IpcCheckPeer.bytesOf(handle)));
            expect(from, "same bytes");
            for (int round = 1; round <= ROUNDS; round++) {
                for (int fill = 0; fill < 8; fill++) {
                    check(JCudaDriver.cuMemsetD8Async(
                            CudaPointers.pointer(export.address()), (byte) (fill == 7 ? round : 0), BYTES, stream));
                }
                check(JCudaDriver.cuEventRecord(event, stream));
                say(to, Integer.toString(round));
                expect(from, "last fill");
            }
            String speed = from.readLine();
            check(JCudaDriver.cuStreamDestroy(stream));
            check(JCudaDriver.cuEventDestroy(event));
            must(speed != null, "the other process ended early");
            return "another process read " + (BYTES >> 20) + " MiB, waited for an event " + ROUNDS + " of " + ROUNDS
                    + " times, copied back: " + speed;
        } finally {
            check(JCudaDriver.cuCtxPopCurrent(new CUcontext()));
            check(JCudaDriver.cuDevicePrimaryCtxRelease(number));
        }
    }

    private static void say(BufferedWriter to, String line) throws IOException {
        to.write(line);
        to.newLine();
        to.flush();
    }

    private static void expect(BufferedReader from, String wanted) throws IOException {
        String line = from.readLine();
        must(wanted.equals(line), "the other process said: " + line);
    }

    private static void must(boolean fact, String otherwise) {
        if (!fact) {
            throw new IllegalStateException(otherwise);
        }
    }

    static void check(int result) {
        must(result == 0, "the CUDA driver answered " + result);
    }

    private Process start() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Dloader.main=" + IpcCheckPeer.class.getName());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass()));
        command.add(Integer.toString(memory.device().ordinal()));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The launcher of the packaged service, if this runs from it. */
    private static String mainClass() {
        String launcher = "org.springframework.boot.loader.launch.PropertiesLauncher";
        try {
            return Class.forName(launcher).getName();
        } catch (ClassNotFoundException e) {
            return IpcCheckPeer.class.getName();
        }
    }
}

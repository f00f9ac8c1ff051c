package io.tensorfabric.testing.cuda;

import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * The stub of the CUDA driver that tests build as {@code libcuda.so.1}: no GPU is behind it. Loaded before JCuda, it is the
 * driver that JCuda finds. One for the whole process; tests that use it do not run side by side.
 */
public final class StubCuda {

    private static final List<String> SOURCES =
            List.of("build.sh", "stub.h", "driver.c", "memory.c", "share.c", "stream.c", "control.c", "unsupported.c");

    private static @Nullable Path library;

    private StubCuda() {}

    /** Builds it in the module's build folder; skips the test, saying why, where there is no C compiler. */
    public static synchronized Path build() {
        Path built = library;
        if (built == null) {
            built = compile();
            library = built;
        }
        return built;
    }

    /** Loads it with default settings, and no errors, calls or devices left from before. */
    public static void reset() {
        System.load(build().toString());
        reset0();
    }

    /** Whether this process uses it. */
    static boolean isLoaded() {
        return library != null && loaded();
    }

    private static boolean loaded() {
        try {
            count0("streams");
            return true;
        } catch (UnsatisfiedLinkError e) {
            return false;
        }
    }

    private static Path compile() {
        try {
            Path sources = Files.createDirectories(
                    Path.of("target", "stub-cuda", "source").toAbsolutePath());
            for (String name : SOURCES) {
                try (InputStream in = StubCuda.class.getResourceAsStream("/stub-cuda/" + name)) {
                    Files.copy(in, sources.resolve(name), StandardCopyOption.REPLACE_EXISTING);
                }
            }
            Path output = sources.resolveSibling("lib");
            Process build = new ProcessBuilder(
                            "sh",
                            sources.resolve("build.sh").toString(),
                            output.toString(),
                            System.getProperty("java.home"))
                    .redirectErrorStream(true)
                    .start();
            String text = new String(build.getInputStream().readAllBytes());
            Assertions.assertThat(build.waitFor(2, TimeUnit.MINUTES)).isTrue();
            Assumptions.assumeFalse(build.exitValue() == 127, "no C compiler to build the stub of libcuda with");
            Assertions.assertThat(build.exitValue()).as(text).isZero();
            return output.resolve("libcuda.so.1");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Switches something: {@code dmabuf}, {@code peermem}, {@code ordering}, {@code delay-us}, ... see driver.c. */
    public static void set(String name, long value) {
        Assertions.assertThat(set0(name, value)).as("setting " + name).isZero();
    }

    /** What CUDA_VISIBLE_DEVICES says at the next initialisation, {@code null} for the process's own. */
    public static void visible(@Nullable String devices) {
        visible0(devices);
    }

    /** Lets calls fail: some succeed first, then some fail with an error. */
    public static void fail(String call, int error, long skip, long times) {
        fail0(call, error, skip, times);
    }

    /** How often a call was made since the reset. */
    public static long calls(String call) {
        return calls0(call);
    }

    /** What there is: contexts, streams, events, allocations, bytes, pins, pageable-copies, exports, flushes, freed-while-open. */
    public static long count(String what) {
        return count0(what);
    }

    /** The UUID of a GPU, or of its MIG instance from 0 on; -1 for the GPU itself. */
    public static String uuid(int gpu, int mig) {
        return uuid0(gpu, mig);
    }

    /** Where a peer-memory client finds device memory; 0 if it is none, -1 if it may not be reached. */
    static long peerAddress(long address, long length) {
        return peerAddress0(address, length);
    }

    static long exportDmaBuf(long address, long length) {
        return exportDmaBuf0(address, length);
    }

    static void close(int fileDescriptor) {
        close0(fileDescriptor);
    }

    static int flush(int scope) {
        return flush0(scope);
    }

    /** The bytes of device memory as they are now, behind the driver's back. */
    public static byte[] read(long device, int length) {
        byte[] bytes = new byte[length];
        OffHeap.copyToArray(look(device, length), bytes, 0, length);
        return bytes;
    }

    /** The same without a copy of them. */
    public static ByteBuffer view(long device, int length) {
        return OffHeap.asByteBuffer(look(device, length), length);
    }

    /** Changes bytes of device memory, behind the driver's back. */
    public static void write(long device, byte[] bytes) {
        OffHeap.copyFromArray(bytes, 0, look(device, bytes.length), bytes.length);
    }

    /** Where the processor can see device memory. Only tests may look. */
    public static long look(long device, long length) {
        long address = look0(device, length);
        Assertions.assertThat(address).as("device memory").isNotZero();
        return address;
    }

    /** Device memory that consists of segments, as expandable allocators make it. */
    public static long segments(int count, long size) {
        long start = segments0(count, size);
        Assertions.assertThat(start).as("start of segments").isPositive();
        return start;
    }

    /** Frees {@link #segments}. */
    public static void freeSegments(long start, int count, long size) {
        Assertions.assertThat(freeSegments0(start, count, size)).isZero();
    }

    /** Fails unless everything of the driver was given back. */
    public static void assertClean() {
        Awaitility.await().atMost(java.time.Duration.ofSeconds(5)).untilAsserted(() -> {
            for (String what :
                    List.of("contexts", "streams", "events", "allocations", "pins", "physicals", "freed-while-open")) {
                Assertions.assertThat(count(what)).as(what + " left").isZero();
            }
        });
    }

    private static native int set0(String name, long value);

    private static native void visible0(@Nullable String devices);

    private static native void fail0(String call, int error, long skip, long times);

    private static native long calls0(String call);

    private static native long count0(String what);

    private static native void reset0();

    private static native String uuid0(int gpu, int mig);

    private static native long peerAddress0(long address, long length);

    private static native long look0(long address, long length);

    private static native long exportDmaBuf0(long address, long length);

    private static native void close0(int fileDescriptor);

    private static native long segments0(int count, long size);

    private static native int freeSegments0(long start, int count, long size);

    private static native int flush0(int scope);
}

package io.tensorfabric.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Processor time of each thread of a process, in nanoseconds where the kernel counts these: what it tells of whole processes
 * has a resolution of 10 ms, too coarse for one that does next to nothing.
 */
final class CpuTime {

    private static final String WHOLE = "process";

    private final Map<String, Long> nanos;

    private CpuTime(Map<String, Long> nanos) {
        this.nanos = nanos;
    }

    /** Until now; NaN counts nothing where nobody tells. */
    static CpuTime of(ProcessHandle process) throws IOException {
        Map<String, Long> nanos = new HashMap<>();
        Path threads = Path.of("/proc/" + process.pid() + "/task");
        if (Files.isDirectory(threads)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
                for (Path thread : all) {
                    add(nanos, thread);
                }
            }
        }
        if (nanos.isEmpty()) {
            process.info().totalCpuDuration().map(Duration::toNanos).ifPresent(time -> nanos.put(WHOLE, time));
        }
        return new CpuTime(nanos);
    }

    private static void add(Map<String, Long> nanos, Path thread) throws IOException {
        try {
            String counters = Files.readString(thread.resolve("schedstat"), StandardCharsets.US_ASCII);
            nanos.put(String.valueOf(thread.getFileName()), Long.valueOf(counters.substring(0, counters.indexOf(' '))));
        } catch (NoSuchFileException ex) {
            // The thread has ended meanwhile, or the kernel does not count.
        }
    }

    /** Nanoseconds since an earlier time; of a thread that has ended since, nothing. NaN if nothing is known. */
    double since(CpuTime earlier) {
        if (nanos.isEmpty() || earlier.nanos.isEmpty()) {
            return Double.NaN;
        }
        long sum = 0;
        for (Map.Entry<String, Long> thread : nanos.entrySet()) {
            sum += thread.getValue() - earlier.nanos.getOrDefault(thread.getKey(), 0L);
        }
        return sum;
    }
}

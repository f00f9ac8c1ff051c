package io.tensorfabric.bench;

import io.tensorfabric.autoconfigure.FabricNode;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryPoolStatistics;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.offheap.SharedMemory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * What this process holds, in bytes unless it says otherwise.
 *
 * @param heap Java objects after a collection
 * @param pool leased from the pool of registered memory
 * @param device native memory that the fabric has allocated, queues and buffers of the software device for most of it
 * @param shared memory of this and other processes that both have mapped, beside pools: the rings of connections
 * @param resident all memory of the process
 * @param threads how many
 * @param files how many descriptors are open
 */
record Footprint(
        double heap, double pool, double device, double shared, double resident, double threads, double files) {

    private static final int COLLECTIONS = 3;

    /** Of this benchmark's nodes, in bytes. */
    static final long SMALLEST_SLAB = 4L << 20;

    private static final String SHARED_FILE = "/dev/shm/tensor-fabric-";

    /** Now, after a collection. */
    static Footprint of(FabricNode node) throws IOException {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        for (int i = 0; i < COLLECTIONS; i++) {
            // What a collection finds unreachable may hold on to more until it is cleaned up.
            memory.gc();
        }
        boolean shared = isShared(node);
        MemoryPoolStatistics pool = node.hostPool().statistics();
        List<String> status = Files.readAllLines(Path.of("/proc/self/status"));
        return new Footprint(
                memory.getHeapMemoryUsage().getUsed(),
                pool.inUse(),
                OffHeap.allocatedBytes() - (shared ? 0 : pool.registered()),
                sharedBytes(Files.readAllLines(Path.of("/proc/self/maps"))),
                kilobytes(status, "VmRSS"),
                number(status, "Threads"),
                openFiles());
    }

    /** Whether its slabs lie in shared memory, of which all pages are there. */
    private static boolean isShared(FabricNode node) {
        try (BufferLease lease = node.hostPool().acquire(1, "bench")) {
            return SharedMemory.find(lease.address(), 1) != null;
        }
    }

    /** Bytes of the lines of a process's mappings that are of shared memory of the fabric, but not of a pool, of any process. */
    static double sharedBytes(List<String> maps) {
        return maps.stream()
                .filter(line -> line.contains(SHARED_FILE))
                .mapToLong(Footprint::length)
                .filter(length -> length < SMALLEST_SLAB)
                .sum();
    }

    private static long length(String line) {
        int dash = line.indexOf('-');
        return Long.parseLong(line.substring(dash + 1, line.indexOf(' ')), 16)
                - Long.parseLong(line.substring(0, dash), 16);
    }

    private static double kilobytes(List<String> status, String name) {
        return 1024 * number(status, name);
    }

    /** The number of a line such as {@code VmRSS:  123 kB}. */
    static double number(List<String> status, String name) {
        return status.stream()
                .filter(line -> line.startsWith(name + ":"))
                .mapToDouble(line -> Double.parseDouble(
                        line.substring(name.length() + 1).replace("kB", "").trim()))
                .findFirst()
                .orElse(Double.NaN);
    }

    private static int openFiles() throws IOException {
        int count = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path unused : all) {
                count++;
            }
        }
        // Without the one through which they were listed.
        return count - 1;
    }

    /** What each of so many more peers takes. */
    Footprint each(Footprint fewer, int more) {
        return new Footprint(
                (heap - fewer.heap) / more,
                (pool - fewer.pool) / more,
                (device - fewer.device) / more,
                (shared - fewer.shared) / more,
                (resident - fewer.resident) / more,
                (threads - fewer.threads) / more,
                (files - fewer.files) / more);
    }

    /** Bytes in one of these units, threads and files as they are. */
    String columns(long unit) {
        return String.format(
                Locale.ROOT,
                "%10.1f %10.1f %10.1f %10.1f %10.1f %8.1f %8.1f",
                heap / unit,
                pool / unit,
                device / unit,
                shared / unit,
                resident / unit,
                threads,
                files);
    }

    String csv() {
        return String.format(
                Locale.ROOT,
                "%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f",
                heap,
                pool,
                device,
                shared,
                resident,
                threads,
                files);
    }
}

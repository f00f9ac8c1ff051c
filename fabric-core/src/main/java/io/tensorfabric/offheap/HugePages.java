package io.tensorfabric.offheap;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the huge pages that a machine has set aside, by a mounted hugetlbfs. A block lies in a file that has no name once
 * it is mapped, so that nothing is left behind however the process ends.
 *
 * <p>Linux only. Thread-safe. As with {@link OffHeap}, callers own what they allocate.
 */
public final class HugePages {

    /** What one mapping of a file can be. */
    private static final long MAX_BYTES = 1L << 30;

    private static final Path MOUNTS = Path.of("/proc/self/mounts");

    private static final Path KERNEL = Path.of("/sys/kernel/mm");

    private static final Pattern MOUNT = Pattern.compile("\\S+ (\\S+) hugetlbfs (\\S+) .*");

    private static final Pattern PAGE_SIZE = Pattern.compile("(?:^|,)pagesize=(\\d+)([KMG])(?:,|$)");

    private static final long DEFAULT_PAGE = 2L << 20;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path folder;

    private final long pageSize;

    private final Map<Long, MappedByteBuffer> blocks = new ConcurrentHashMap<>();

    private final HugePageLimit limit;

    private HugePages(Path folder, long pageSize, HugePageLimit limit) {
        this.folder = folder;
        this.pageSize = pageSize;
        this.limit = limit;
    }

    /**
     * What was found.
     *
     * @param pages null if there are none to use
     * @param reason in words, either way
     */
    public record Search(@Nullable HugePages pages, String reason) {}

    /** Looks for mounted huge pages of this machine, of which some are set aside. */
    public static Search find() {
        return find(MOUNTS, KERNEL);
    }

    static Search find(Path mounts, Path kernel) {
        String text;
        try {
            text = Files.readString(mounts, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return new Search(null, "this system has no " + mounts);
        }
        String reason = "no hugetlbfs is mounted";
        for (String line : text.lines().toList()) {
            Matcher mount = MOUNT.matcher(line);
            if (!mount.matches()) {
                continue;
            }
            Path folder = Path.of(mount.group(1));
            long size = pageSize(mount.group(2));
            long total = setAside(kernel, size);
            if (total <= 0) {
                reason = "no pages are set aside for " + folder;
            } else if (!Files.isWritable(folder)) {
                reason = folder + " may not be written by this user";
            } else {
                return new Search(
                        new HugePages(folder, size, new HugePageLimit(size)),
                        "huge pages of " + (size >> 10) + " KiB from " + folder);
            }
        }
        return new Search(null, reason);
    }

    private static long pageSize(String options) {
        Matcher size = PAGE_SIZE.matcher(options);
        if (!size.find()) {
            return DEFAULT_PAGE;
        }
        int shift = switch (size.group(2)) {
            case "K" -> 10;
            case "M" -> 20;
            default -> 30;
        };
        return Long.parseLong(size.group(1)) << shift;
    }

    private static long setAside(Path kernel, long size) {
        Path pool = kernel.resolve("hugepages").resolve("hugepages-" + (size >> 10) + "kB");
        try {
            long set = Long.parseLong(
                    Files.readString(pool.resolve("nr_hugepages")).trim());
            return set
                    + Long.parseLong(Files.readString(pool.resolve("nr_overcommit_hugepages"))
                            .trim());
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    /** Bytes of a page. */
    public long pageSize() {
        return pageSize;
    }

    /**
     * Allocates a block of zeros.
     *
     * @param bytes size of the block, at least 1
     * @param alignment power of two, at most that of a page
     * @return the first byte, to be given to {@link #free} by the caller
     * @throws OffHeapAllocationException if not so many pages are free, or one mapping cannot be so large
     */
    public long allocate(long bytes, long alignment) {
        long size = (bytes + pageSize - 1) / pageSize * pageSize;
        if (bytes < 1 || alignment > pageSize || size > MAX_BYTES) {
            throw new OffHeapAllocationException(
                    bytes,
                    "huge pages",
                    "a block has 1 to " + MAX_BYTES + " bytes, aligned to " + pageSize + " at most",
                    null);
        }
        long left = limit.left();
        if (size > left) {
            throw new OffHeapAllocationException(
                    bytes, "huge pages", "the control group of this process has " + left + " bytes of them left", null);
        }
        MappedByteBuffer mapped;
        try {
            mapped = map(size);
        } catch (IOException | RuntimeException e) {
            throw new OffHeapAllocationException(
                    bytes, "huge pages", "not so many are free at " + folder + " (" + e.getMessage() + ")", e);
        }
        // Only touched pages count against the limit of a control group, by which the next block is judged.
        mapped.load();
        long address = OffHeap.addressOf(mapped);
        blocks.put(address, mapped);
        return address;
    }

    private MappedByteBuffer map(long size) throws IOException {
        byte[] name = new byte[16];
        RANDOM.nextBytes(name);
        Path path = folder.resolve("tensor-fabric-" + HexFormat.of().formatHex(name));
        try (FileChannel file = FileChannel.open(
                path,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            try {
                return file.map(MapMode.READ_WRITE, 0, size);
            } finally {
                Files.delete(path);
            }
        }
    }

    /** Whether a live block starts there. */
    public boolean owns(long address) {
        return blocks.containsKey(address);
    }

    /**
     * Frees a block.
     *
     * @param address as returned by {@link #allocate}
     * @throws IllegalArgumentException if no live block starts there
     */
    public void free(long address) {
        MappedByteBuffer mapped = blocks.remove(address);
        if (mapped == null) {
            throw new IllegalArgumentException("No live block of huge pages starts there");
        }
        OffHeap.unmap(mapped);
    }
}

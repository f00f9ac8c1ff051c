package io.tensorfabric.offheap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How many bytes of huge pages of one size the control group of this process may still touch. Whoever touches more is killed
 * by SIGBUS, although mapping them went well: see "hugetlb" in the kernel's documentation of control groups.
 */
final class HugePageLimit {

    /** As containers see their own group, by version 2 and by version 1. */
    private static final Path GROUPS = Path.of("/sys/fs/cgroup");

    private final Path groups;

    private final String size;

    /** @param pageSize bytes of a page */
    HugePageLimit(long pageSize) {
        this(GROUPS, pageSize);
    }

    HugePageLimit(Path groups, long pageSize) {
        this.groups = groups;
        this.size = name(pageSize);
    }

    private static String name(long pageSize) {
        if (pageSize >= 1L << 30) {
            return (pageSize >> 30) + "GB";
        }
        return pageSize >= 1L << 20 ? (pageSize >> 20) + "MB" : (pageSize >> 10) + "KB";
    }

    /** Bytes, {@link Long#MAX_VALUE} where there is no limit. */
    long left() {
        return Math.min(
                left("hugetlb." + size + ".max", "hugetlb." + size + ".current"),
                left("hugetlb/hugetlb." + size + ".limit_in_bytes", "hugetlb/hugetlb." + size + ".usage_in_bytes"));
    }

    private long left(String limit, String used) {
        try {
            String most = Files.readString(groups.resolve(limit)).trim();
            return most.equals("max")
                    ? Long.MAX_VALUE
                    : Long.parseLong(most)
                            - Long.parseLong(
                                    Files.readString(groups.resolve(used)).trim());
        } catch (IOException | NumberFormatException e) {
            // No such controller: nothing is limited.
            return Long.MAX_VALUE;
        }
    }
}

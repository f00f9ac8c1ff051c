package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/** The processors of a device's NUMA node. */
final class NearProcessors {

    private NearProcessors() {}

    /** Of the device in /sys; empty when it lies on no node, as software devices do. */
    static BitSet ofSystem(String deviceName) {
        return of(Path.of("/sys/class/infiniband", deviceName));
    }

    static BitSet of(Path device) {
        try {
            return parse(
                    Files.readString(device.resolve("device/local_cpulist")).trim());
        } catch (IOException | NumberFormatException ex) {
            return new BitSet();
        }
    }

    /** Reads the kernel's form of a set, such as {@code 0-3,8}; see {@code cpuset(7)}, "List format". */
    static BitSet parse(String list) {
        BitSet processors = new BitSet();
        for (String range : list.isEmpty() ? new String[0] : list.split(",", -1)) {
            String[] ends = range.split("-", 2);
            processors.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
        }
        return processors;
    }

    /** The same form of a set. */
    static String format(BitSet processors) {
        StringBuilder list = new StringBuilder();
        int first = processors.nextSetBit(0);
        while (first >= 0) {
            int last = processors.nextClearBit(first) - 1;
            list.append(list.length() == 0 ? "" : ",").append(first).append(last > first ? "-" + last : "");
            first = processors.nextSetBit(last + 1);
        }
        return list.toString();
    }

    /** Binds the calling thread to those that it may use; false when there are none and nothing has changed. */
    static boolean bind(BitSet processors) {
        long[] words = processors.toLongArray();
        if (words.length == 0) {
            return false;
        }
        try (Scratch set = new Scratch(words.length * Long.BYTES)) {
            for (int i = 0; i < words.length; i++) {
                OffHeap.putLong(set.address() + (long) i * Long.BYTES, words[i]);
            }
            long bound = Failures.check(
                    NativeVerbs.bindThread(set.address(), words.length),
                    "sched_setaffinity",
                    "processors " + format(processors));
            return bound > 0;
        }
    }
}

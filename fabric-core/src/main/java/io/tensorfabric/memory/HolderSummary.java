package io.tensorfabric.memory;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Leases by holder, in words: a pool may have many thousands of them. */
final class HolderSummary {

    private static final int TOP = 5;

    private static final class Sum {

        private final String holder;

        private long bytes;

        private int leases;

        private int leaked;

        private long oldestMillis = Long.MAX_VALUE;

        private Sum(String holder) {
            this.holder = holder;
        }

        @Override
        public String toString() {
            return "'" + holder + "' " + ByteSizes.format(bytes)
                    + (leases == 1 ? " since " : " in " + leases + " buffers, the oldest since ")
                    + Instant.ofEpochMilli(oldestMillis) + (leaked > 0 ? " (" + leaked + " never closed)" : "");
        }
    }

    private final Map<String, Sum> sums = new HashMap<>();

    void add(String holder, long bytes, long sinceMillis, boolean leaked) {
        Sum sum = sums.computeIfAbsent(holder, Sum::new);
        sum.bytes += bytes;
        sum.leases++;
        sum.leaked += leaked ? 1 : 0;
        sum.oldestMillis = Math.min(sum.oldestMillis, sinceMillis);
    }

    /** The largest holders, largest first. */
    @Override
    public String toString() {
        if (sums.isEmpty()) {
            return "nobody";
        }
        Collection<Sum> all = sums.values();
        List<Sum> top = all.stream()
                .sorted(Comparator.comparingLong((Sum sum) -> -sum.bytes).thenComparing(sum -> sum.holder))
                .limit(TOP)
                .toList();
        String text = top.stream().map(Sum::toString).collect(Collectors.joining(", "));
        return all.size() > TOP ? text + " and " + (all.size() - TOP) + " more" : text;
    }
}

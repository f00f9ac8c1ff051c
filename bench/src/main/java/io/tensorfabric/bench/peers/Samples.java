package io.tensorfabric.bench.peers;

import java.util.Arrays;

/** Durations, of which the first ones are kept. */
public final class Samples {

    private static final int MOST = 1 << 20;

    private final long[] nanos = new long[MOST];

    private int count;

    /** Takes a duration. */
    public void add(long value) {
        if (count < MOST) {
            nanos[count++] = value;
        }
    }

    /** A percentile in microseconds, by the nearest rank. */
    public double micros(double percentile) {
        if (count == 0) {
            throw new IllegalStateException("Nothing was measured");
        }
        Arrays.sort(nanos, 0, count);
        int rank = (int) Math.ceil(percentile / 100 * count);
        return nanos[Math.max(0, rank - 1)] / 1e3;
    }
}

package io.tensorfabric.bench;

import java.util.List;

/** The value of several rounds that counts. */
final class Medians {

    private Medians() {}

    /** The median, the lower one of two; of at least one value. */
    static double of(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get((sorted.size() - 1) / 2);
    }
}

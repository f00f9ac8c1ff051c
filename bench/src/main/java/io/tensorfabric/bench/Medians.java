package io.tensorfabric.bench;

import java.util.Comparator;
import java.util.List;

/** The value of several rounds that counts. */
final class Medians {

    private Medians() {}

    /** The median, the lower one of two; of at least one value. */
    static double of(List<Double> values) {
        return of(values, Comparator.naturalOrder());
    }

    /** The same of anything that has an order. */
    static <T> T of(List<T> values, Comparator<? super T> order) {
        List<T> sorted = values.stream().sorted(order).toList();
        return sorted.get((sorted.size() - 1) / 2);
    }
}

package io.tensorfabric.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the first of some settings that does nearly as well as the best; later ones cost more. */
final class Knee {

    /** Less than this share of the best is worth the next setting. */
    static final double NEARLY = 0.95;

    private final Map<String, List<Double>> measured = new LinkedHashMap<>();

    /** Takes a measurement; settings are in order of their first. */
    void add(String setting, double value) {
        measured.computeIfAbsent(setting, none -> new ArrayList<>()).add(value);
    }

    double median(String setting) {
        List<Double> values = measured.getOrDefault(setting, List.of());
        if (values.isEmpty()) {
            throw new IllegalStateException("Nothing was measured with " + setting);
        }
        return Medians.of(values);
    }

    /** The first setting whose median is nearly the best one's. */
    String least() {
        double best = measured.keySet().stream()
                .mapToDouble(this::median)
                .max()
                .orElseThrow(() -> new IllegalStateException("Nothing was measured"));
        return measured.keySet().stream()
                .filter(setting -> median(setting) >= NEARLY * best)
                .findFirst()
                .orElseThrow();
    }
}

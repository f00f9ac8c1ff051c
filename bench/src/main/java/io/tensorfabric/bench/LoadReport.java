package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Samples;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a large push does to small ones: medians over rounds of the percentiles of both. */
final class LoadReport {

    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    private final ByteSize small;

    private final ByteSize large;

    /** Microseconds by percentile and round. */
    private final List<List<Double>> alone = empty();

    private final List<List<Double>> loaded = empty();

    private final List<Double> loadBytesPerSecond = new ArrayList<>();

    /**
     * Latency of small pushes.
     *
     * @param samples of the small ones
     * @param loadBytesPerSecond of the large ones meanwhile, 0 without
     */
    record Latency(Samples samples, double loadBytesPerSecond) {}

    LoadReport(ByteSize small, ByteSize large) {
        this.small = small;
        this.large = large;
    }

    private static List<List<Double>> empty() {
        List<List<Double>> lists = new ArrayList<>();
        for (int i = 0; i < PERCENTILES.length; i++) {
            lists.add(new ArrayList<>());
        }
        return lists;
    }

    void alone(Latency latency) {
        add(alone, latency);
    }

    void loaded(Latency latency) {
        add(loaded, latency);
        loadBytesPerSecond.add(latency.loadBytesPerSecond());
    }

    private static void add(List<List<Double>> to, Latency latency) {
        for (int i = 0; i < PERCENTILES.length; i++) {
            to.get(i).add(latency.samples().micros(PERCENTILES[i]));
        }
    }

    void print(PrintWriter out) {
        out.printf(
                "%nmicroseconds of %s pushes, one at a time, PLACED%n%-6s %12s %12s%n", small, "", "alone", "loaded");
        for (int i = 0; i < PERCENTILES.length; i++) {
            out.printf(
                    Locale.ROOT, "%-6s %12.1f %12.1f%n", name(i), Medians.of(alone.get(i)), Medians.of(loaded.get(i)));
        }
        out.printf(
                Locale.ROOT,
                "%npushes of %s under way all the time, one after the other: %.3f GB/s%n%n",
                large,
                Medians.of(loadBytesPerSecond) / 1e9);
        for (int i = 0; i < PERCENTILES.length; i++) {
            out.printf(Locale.ROOT, "ratio under-load-%s %s %.3f%n", name(i), small, ratio(i));
        }
    }

    private double ratio(int percentile) {
        return Medians.of(loaded.get(percentile)) / Medians.of(alone.get(percentile));
    }

    private static String name(int percentile) {
        double value = PERCENTILES[percentile];
        return "p" + (value == Math.rint(value) ? String.valueOf((int) value) : String.valueOf(value));
    }

    String csv() {
        StringBuilder text = new StringBuilder("percentile,alone_micros,loaded_micros\n");
        for (int i = 0; i < PERCENTILES.length; i++) {
            text.append(String.format(
                    Locale.ROOT,
                    "%s,%.3f,%.3f%n",
                    PERCENTILES[i],
                    Medians.of(alone.get(i)),
                    Medians.of(loaded.get(i))));
        }
        return text.toString();
    }

    String svg() {
        return new SvgPlot("Latency of " + small + " pushes beside one of " + large, at -> name((int) at - 1))
                .curve("alone us", points(alone))
                .curve("loaded us", points(loaded))
                .draw();
    }

    private static List<SvgPlot.Point> points(List<List<Double>> micros) {
        List<SvgPlot.Point> points = new ArrayList<>();
        for (int i = 0; i < PERCENTILES.length; i++) {
            points.add(new SvgPlot.Point(i + 1L, Medians.of(micros.get(i))));
        }
        return points;
    }
}

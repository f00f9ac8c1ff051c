package io.tensorfabric.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Nanoseconds of a work request through the shim and in C, by batch: medians of rounds. */
final class JniReport {

    private final Map<Integer, Rounds> byBatch = new TreeMap<>();

    private record Rounds(List<Double> shim, List<Double> loop) {

        double ratio() {
            return Medians.of(shim) / Medians.of(loop);
        }
    }

    void add(int batch, double shim, double loop) {
        Rounds rounds = byBatch.computeIfAbsent(batch, none -> new Rounds(new ArrayList<>(), new ArrayList<>()));
        rounds.shim.add(shim);
        rounds.loop.add(loop);
    }

    void print(PrintWriter out) {
        out.printf(
                "%nnanoseconds of a request, posted and polled, on a stub of libibverbs%n%-6s %10s %10s%n",
                "batch", "shim", "C");
        byBatch.forEach((batch, rounds) -> out.printf(
                Locale.ROOT, "%-6d %10.1f %10.1f%n", batch, Medians.of(rounds.shim), Medians.of(rounds.loop)));
        out.println();
        byBatch.forEach((batch, rounds) -> out.printf(Locale.ROOT, "ratio jni %d %.3f%n", batch, rounds.ratio()));
    }

    String csv() {
        StringBuilder text = new StringBuilder("batch,shim_nanos,c_nanos\n");
        byBatch.forEach((batch, rounds) -> text.append(
                String.format(Locale.ROOT, "%d,%.3f,%.3f%n", batch, Medians.of(rounds.shim), Medians.of(rounds.loop))));
        return text.toString();
    }

    String svg() {
        List<SvgPlot.Point> shim = new ArrayList<>();
        List<SvgPlot.Point> loop = new ArrayList<>();
        byBatch.forEach((batch, rounds) -> {
            shim.add(new SvgPlot.Point(batch, Medians.of(rounds.shim)));
            loop.add(new SvgPlot.Point(batch, Medians.of(rounds.loop)));
        });
        return new SvgPlot("Nanoseconds of a request by batch", String::valueOf)
                .curve("shim", shim)
                .curve("C", loop)
                .draw();
    }
}

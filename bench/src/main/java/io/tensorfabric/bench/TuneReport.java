package io.tensorfabric.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Bandwidth by value of each property. */
final class TuneReport {

    private final ByteSize size;

    private final Map<String, List<Trial>> trials = new LinkedHashMap<>();

    private record Trial(String value, double bytesPerSecond) {}

    TuneReport(ByteSize size) {
        this.size = size;
    }

    void add(String property, String value, double bytesPerSecond) {
        trials.computeIfAbsent(property, none -> new ArrayList<>()).add(new Trial(value, bytesPerSecond));
    }

    /** Each value over the first one of its property. */
    void printRatios(PrintWriter out) {
        out.println();
        trials.forEach((property, list) -> {
            String name = property.substring(property.lastIndexOf('.') + 1);
            double first = list.get(0).bytesPerSecond;
            for (Trial each : list) {
                out.printf(
                        Locale.ROOT, "ratio tune-%s=%s %s %.3f%n", name, each.value, size, each.bytesPerSecond / first);
            }
        });
    }

    String csv() {
        StringBuilder text = new StringBuilder("property,value,bytes,bytes_per_second\n");
        trials.forEach((property, list) -> list.forEach(each -> text.append(String.format(
                Locale.ROOT, "%s,%s,%d,%.0f%n", property, each.value, size.bytes(), each.bytesPerSecond))));
        return text.toString();
    }

    /** A curve for each property, over the position of its values. */
    String svg() {
        SvgPlot plot =
                new SvgPlot("GB/s with tensors of " + size + " by setting, the least one first", String::valueOf);
        trials.forEach((property, list) -> {
            List<SvgPlot.Point> points = new ArrayList<>();
            for (int i = 0; i < list.size(); i++) {
                points.add(new SvgPlot.Point(i + 1L, list.get(i).bytesPerSecond / 1e9));
            }
            plot.curve(property, points);
        });
        return plot.draw();
    }
}

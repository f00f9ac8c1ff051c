package io.tensorfabric.bench;

import java.util.ArrayList;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * Curves over sizes or other numbers, both axes logarithmic, as SVG. Libraries for charts draw by way of {@code java.awt}, for which a
 * headless JDK on a server has no fonts.
 */
final class SvgPlot {

    private static final int WIDTH = 720;

    private static final int HEIGHT = 420;

    private static final int MARGIN = 64;

    /** Told apart also without colours seen: from a palette for the colour-blind. */
    private static final List<String> COLOURS =
            List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f", "#8c564b");

    private final String title;

    private final LongFunction<String> ticks;

    private final List<Curve> curves = new ArrayList<>();

    /**
     * A point of a curve.
     *
     * @param x such as a size in bytes, at least 1
     * @param value what is not above 0 is left out: nothing was measured
     */
    record Point(long x, double value) {}

    private record Curve(String name, List<Point> points) {}

    /** A plot over sizes in bytes. */
    SvgPlot(String title) {
        this(title, bytes -> new ByteSize(bytes).toString());
    }

    /** @param ticks what is written below a point */
    SvgPlot(String title, LongFunction<String> ticks) {
        this.title = title;
        this.ticks = ticks;
    }

    SvgPlot curve(String name, List<Point> points) {
        curves.add(
                new Curve(name, points.stream().filter(point -> point.value > 0).toList()));
        return this;
    }

    String draw() {
        List<Point> all =
                curves.stream().flatMap(curve -> curve.points.stream()).toList();
        if (all.isEmpty()) {
            throw new IllegalStateException("There is nothing to draw");
        }
        Axis x = Axis.over(all.stream().map(point -> (double) point.x).toList(), 2, MARGIN, WIDTH - MARGIN);
        Axis y = Axis.over(all.stream().map(Point::value).toList(), 10, HEIGHT - MARGIN, MARGIN);
        Formatter svg = new Formatter(Locale.ROOT);
        svg.format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\" role=\"img\" aria-label=\"%s\">%n",
                WIDTH, HEIGHT, title);
        svg.format("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n");
        svg.format("<text x=\"%d\" y=\"24\" font-size=\"16\">%s</text>%n", MARGIN, title);
        for (int power = y.first; power <= y.last; power++) {
            double at = y.at(Math.pow(10, power));
            svg.format(
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                    MARGIN, WIDTH - MARGIN, at, at);
            svg.format("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n", MARGIN - 6, at + 4, number(power));
        }
        all.stream()
                .map(Point::x)
                .distinct()
                .sorted()
                .forEach(tick -> svg.format(
                        "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
                        x.at((double) tick), HEIGHT - MARGIN + 18, ticks.apply(tick)));
        for (int i = 0; i < curves.size(); i++) {
            draw(svg, curves.get(i), COLOURS.get(i % COLOURS.size()), i, x, y);
        }
        return svg.format("</svg>%n").toString();
    }

    private static void draw(Formatter svg, Curve curve, String colour, int place, Axis x, Axis y) {
        String points = curve.points.stream()
                .map(point -> String.format(Locale.ROOT, "%.1f,%.1f", x.at((double) point.x), y.at(point.value)))
                .collect(Collectors.joining(" "));
        svg.format("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n", points, colour);
        svg.format(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s</text>%n",
                WIDTH - MARGIN, 40 + 16 * place, colour, curve.name);
    }

    private static String number(int power) {
        return power >= 0 ? "1" + "0".repeat(power) : "0." + "0".repeat(-power - 1) + "1";
    }

    /**
     * A logarithmic axis from one power of its base to another.
     *
     * @param from where the first power is drawn
     * @param to where the last one is drawn
     */
    private record Axis(double base, int first, int last, double from, double to) {

        static Axis over(List<Double> values, double base, double from, double to) {
            double least = values.stream().mapToDouble(value -> value).min().orElseThrow();
            double most = values.stream().mapToDouble(value -> value).max().orElseThrow();
            int first = (int) Math.floor(log(least, base));
            return new Axis(base, first, Math.max(first + 1, (int) Math.ceil(log(most, base))), from, to);
        }

        double at(double value) {
            return from + (log(value, base) - first) / (last - first) * (to - from);
        }

        private static double log(double value, double base) {
            return Math.log(value) / Math.log(base);
        }
    }
}

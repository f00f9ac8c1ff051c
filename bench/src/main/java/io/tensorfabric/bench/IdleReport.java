package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Samples;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** What connections cost that nobody uses, by their number: medians of rounds. */
final class IdleReport {

    private static final long MEGABYTE = 1L << 20;

    private static final long KILOBYTE = 1L << 10;

    private static final String HELD = String.format(
            Locale.ROOT,
            "%10s %10s %10s %10s %10s %8s %8s",
            "heap",
            "pool",
            "device",
            "rings",
            "resident",
            "threads",
            "files");

    private final ByteSize zone;

    private final NavigableMap<Integer, List<Round>> rounds = new TreeMap<>();

    private final NavigableMap<Integer, Footprint> footprints = new TreeMap<>();

    /**
     * Processor seconds of a second.
     *
     * @param own of the measured process
     * @param others of the process of the peers
     */
    record Load(double own, double others) {}

    /**
     * @param p50 median microseconds of the pieces' medians
     * @param best the least of them
     */
    private record Round(Load load, double p50, double best, double p99) {}

    /** @param zone size of the landing zone of each peer, which its part of the pool includes */
    IdleReport(ByteSize zone) {
        this.zone = zone;
    }

    /** One round with so many peers, and latencies in some pieces. */
    void add(int peers, Load load, List<Samples> latency) {
        List<Double> medians =
                latency.stream().map(piece -> piece.micros(50)).sorted().toList();
        double p99 = Medians.of(latency.stream().map(piece -> piece.micros(99)).toList());
        rounds.computeIfAbsent(peers, none -> new ArrayList<>())
                .add(new Round(load, Medians.of(medians), medians.get(0), p99));
    }

    /** What the measured process held when it had so many for the first time. */
    void add(int peers, Footprint footprint) {
        footprints.putIfAbsent(peers, footprint);
    }

    private double median(int peers, ToDoubleFunction<Round> value) {
        return Medians.of(rounds.getOrDefault(peers, List.of()).stream()
                .map(round -> value.applyAsDouble(round))
                .toList());
    }

    /** The least of all rounds. */
    private double best(int peers) {
        return rounds.getOrDefault(peers, List.of()).stream()
                .mapToDouble(Round::best)
                .min()
                .orElse(Double.NaN);
    }

    /** Both are of the same round, so that what else the machine did falls on both. */
    private double ratio(int peers, ToDoubleFunction<Round> value) {
        List<Round> few = rounds.firstEntry().getValue();
        List<Round> many = rounds.getOrDefault(peers, List.of());
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(few.size(), many.size()); i++) {
            ratios.add(value.applyAsDouble(many.get(i)) / value.applyAsDouble(few.get(i)));
        }
        return Medians.of(ratios);
    }

    void print(PrintWriter out) {
        out.printf(
                "%nprocessor time in percent of one processor while all are idle; microseconds of 4KB pushes to one of them,"
                        + " one at a time, PLACED%n%-8s %10s %13s %10s %10s %10s%n",
                "peers", "measured", "their process", "p50", "best", "p99");
        rounds.keySet()
                .forEach(peers -> out.printf(
                        Locale.ROOT,
                        "%-8d %10.2f %13.2f %10.1f %10.1f %10.1f%n",
                        peers,
                        100 * median(peers, round -> round.load.own),
                        100 * median(peers, round -> round.load.others),
                        median(peers, Round::p50),
                        best(peers),
                        median(peers, Round::p99)));
        out.printf("%nwhat the measured process holds, in MB of 1024 KB%n%-8s %s%n", "peers", HELD);
        footprints.forEach((peers, held) -> out.printf("%-8d %s%n", peers, held.columns(MEGABYTE)));
        if (footprints.size() > 1) {
            int few = footprints.firstKey();
            int many = footprints.lastKey();
            Footprint each = footprints
                    .lastEntry()
                    .getValue()
                    .each(footprints.firstEntry().getValue(), many - few);
            out.printf(
                    "%neach peer from %d to %d, in KB%n%-8s %s%n%-8s %s%n",
                    few, many, "", HELD, "", each.columns(KILOBYTE));
        }
        out.printf(
                "%npool: messages, and a landing zone of %s for each peer; device: native memory, queues and buffers for most of"
                        + " it; rings: memory shared with their processes%n%n",
                zone);
        rounds.keySet().stream().skip(1).forEach(peers -> {
            ratio(out, "latency", peers, ratio(peers, Round::p50));
            ratio(out, "best", peers, best(peers) / best(rounds.firstKey()));
            ratio(out, "p99", peers, ratio(peers, Round::p99));
        });
    }

    private static void ratio(PrintWriter out, String name, int peers, double value) {
        out.printf(Locale.ROOT, "ratio idle-%s %d %.3f%n", name, peers, value);
    }

    String csv() {
        StringBuilder text = new StringBuilder(
                "peers,cpu_seconds_per_second,their_cpu_seconds_per_second,p50_micros,"
                        + "best_micros,p99_micros,heap_bytes,pool_bytes,device_bytes,ring_bytes,resident_bytes,threads,files\n");
        footprints.forEach((peers, held) -> text.append(String.format(
                Locale.ROOT,
                "%d,%.6f,%.6f,%.3f,%.3f,%.3f,%s%n",
                peers,
                median(peers, round -> round.load.own),
                median(peers, round -> round.load.others),
                median(peers, Round::p50),
                best(peers),
                median(peers, Round::p99),
                held.csv())));
        return text.toString();
    }

    String svg() {
        return new SvgPlot("A node with idle peers, by their number", String::valueOf)
                .curve("p50 us", points(Round::p50))
                .curve("p99 us", points(Round::p99))
                .curve("processor, permille", points(round -> Math.max(0.01, 1000 * round.load.own)))
                .draw();
    }

    private List<SvgPlot.Point> points(ToDoubleFunction<Round> value) {
        return rounds.keySet().stream()
                .map(peers -> new SvgPlot.Point(peers, median(peers, value)))
                .toList();
    }
}

package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Carrier;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Looks for the settings of the sender with which bandwidth to a peer stops growing. */
@Command(
        name = "tune",
        description = "Tries depths of the queues, chunk sizes and numbers of lanes to a peer, one after the other, and"
                + " prints the properties to set: the least of each with nearly the bandwidth of the best.",
        mixinStandardHelpOptions = true)
final class TuneCommand implements Callable<Integer> {

    @Mixin
    MeasureOptions measure = new MeasureOptions(2, 3, 0.5);

    @Mixin
    NodeOptions node = new NodeOptions();

    @Mixin
    PushPath path = new PushPath();

    @Option(names = "--size", defaultValue = "64MB", description = "size of the tensors (${DEFAULT-VALUE})")
    ByteSize size = new ByteSize(64L << 20);

    @Option(names = "--lanes", split = ",", defaultValue = "1,2,4,8", description = "to try (${DEFAULT-VALUE})")
    List<Integer> lanes = List.of();

    @Option(
            names = "--depths",
            split = ",",
            defaultValue = "256,512,1024,2048",
            description = "to try (${DEFAULT-VALUE})")
    List<Integer> depths = List.of();

    @Option(
            names = "--chunks",
            split = ",",
            defaultValue = "256KB,1MB,4MB,16MB",
            description = "to try (${DEFAULT-VALUE})")
    List<ByteSize> chunks = List.of();

    @Override
    public Integer call() throws Exception {
        node.roomFor(size.bytes());
        List<Knob> knobs = List.of(
                new Knob(
                        "fabric.transfer.chunk-size",
                        chunks.stream().map(ByteSize::toString).toList()),
                new Knob(
                        "fabric.connection.bulk-depth",
                        depths.stream().map(String::valueOf).toList()),
                new Knob(
                        "fabric.connection.bulk-lanes",
                        lanes.stream().map(String::valueOf).toList()));
        List<String> chosen = new ArrayList<>();
        TuneReport report = new TuneReport(size);
        PrintWriter out = measure.out();
        measure.progress("starting the receiver");
        try (NodeProcess receiver = path.receiver(node)) {
            for (Knob knob : knobs) {
                chosen.add(knob.property + "=" + turn(knob, receiver, chosen, report));
            }
        }
        out.printf("%nat the knee for %s:%n", size);
        chosen.forEach(property -> out.println("  " + property));
        report.printRatios(out);
        out.flush();
        measure.save(report.csv(), report.svg());
        return 0;
    }

    /** Tries the values of one property, with what was chosen for the earlier ones. */
    private String turn(Knob knob, @Nullable NodeProcess receiver, List<String> chosen, TuneReport report)
            throws Exception {
        Knee knee = new Knee();
        PrintWriter out = measure.out();
        out.printf("%n%s%n", knob.property);
        for (String value : knob.values) {
            List<String> arguments = new ArrayList<>();
            chosen.forEach(property -> arguments.add("--" + property));
            arguments.add("--" + knob.property + "=" + value);
            measure.progress(knob.property + "=" + value);
            try (PushSender sender = path.sender(node, receiver, arguments)) {
                for (int round = 0; round < measure.rounds(); round++) {
                    knee.add(value, sender.bandwidth(size, Carrier.depth(size.bytes()), measure.seconds()));
                }
            }
            report.add(knob.property, value, knee.median(value));
            out.printf(Locale.ROOT, "  %-8s %9.3f GB/s%n", value, knee.median(value) / 1e9);
            out.flush();
        }
        return knee.least();
    }

    /** A property, and what to try for it, the cheapest first. */
    private record Knob(String property, List<String> values) {}
}

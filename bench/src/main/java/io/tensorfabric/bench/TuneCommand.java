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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Looks for the settings of the sender with which bandwidth to a peer stops growing. */
@Command(
        name = "tune",
        description = "Tries depths of the queues, chunk sizes and numbers of lanes to a peer, one after the other, and"
                + " prints the properties to set: the least of each with nearly the bandwidth of the best.",
        mixinStandardHelpOptions = true)
final class TuneCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Mixin
    NodeOptions node = new NodeOptions();

    @Mixin
    PushPath path = new PushPath();

    @Option(names = "--size", defaultValue = "64MB", description = "size of the tensors (${DEFAULT-VALUE})")
    ByteSize size = new ByteSize(64L << 20);

    @Option(names = "--seconds", defaultValue = "2", description = "length of each measurement (${DEFAULT-VALUE})")
    double seconds = 2;

    @Option(names = "--rounds", defaultValue = "3", description = "how often each is measured (${DEFAULT-VALUE})")
    int rounds = 3;

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

    @Option(names = "--quick", description = "all of it in about a minute, with less certainty")
    boolean quick;

    @Override
    public Integer call() throws Exception {
        if (quick) {
            seconds = 0.5;
            rounds = 1;
        }
        node.pool = new ByteSize(Math.max(node.pool.bytes(), 4 * size.bytes()));
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
        PrintWriter out = spec.commandLine().getOut();
        progress("starting the receiver");
        try (NodeProcess receiver = path.receiver(node)) {
            for (Knob knob : knobs) {
                chosen.add(knob.property + "=" + turn(knob, receiver, chosen, out));
            }
        }
        out.printf("%nat the knee for %s:%n", size);
        chosen.forEach(property -> out.println("  " + property));
        out.flush();
        return 0;
    }

    private String turn(Knob knob, @Nullable NodeProcess receiver, List<String> chosen, PrintWriter out)
            throws Exception {
        Knee knee = new Knee();
        out.printf("%n%s%n", knob.property);
        for (String value : knob.values) {
            List<String> arguments = new ArrayList<>();
            chosen.forEach(property -> arguments.add("--" + property));
            arguments.add("--" + knob.property + "=" + value);
            progress(knob.property + "=" + value);
            try (PushSender sender = path.sender(node, receiver, arguments)) {
                for (int round = 0; round < rounds; round++) {
                    knee.add(value, sender.bandwidth(size, Carrier.depth(size.bytes()), seconds));
                }
            }
            out.printf(Locale.ROOT, "  %-8s %9.3f GB/s%n", value, knee.median(value) / 1e9);
            out.flush();
        }
        return knee.least();
    }

    private void progress(String text) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("bench tune: " + text);
        err.flush();
    }

    /** A property, and what to try for it, the cheapest first. */
    private record Knob(String property, List<String> values) {}
}

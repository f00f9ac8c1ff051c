package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Carrier;
import io.tensorfabric.bench.peers.Carriers;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** Our push beside other ways of Java, between the same two processes. */
@Command(
        name = "peers",
        description = {
            "Brings blocks from one process to another on this machine, by turns: our push through shared memory (shm)"
                    + " and through sockets (tcp), plain NIO sockets, a gRPC stream, Spring's RestClient;",
            "and copies them within one process (memcpy). Medians of several rounds."
        },
        mixinStandardHelpOptions = true)
final class PeersCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Mixin
    NodeOptions node = new NodeOptions();

    @Option(
            names = "--sizes",
            split = ",",
            defaultValue = "4KB,64KB,1MB,16MB,256MB",
            description = "sizes of blocks (${DEFAULT-VALUE})")
    List<ByteSize> sizes = List.of();

    @Option(names = "--seconds", defaultValue = "1", description = "length of each measurement (${DEFAULT-VALUE})")
    double seconds = 1;

    @Option(names = "--rounds", defaultValue = "3", description = "how often each is measured (${DEFAULT-VALUE})")
    int rounds = 3;

    @Option(names = "--csv", description = "file for the figures")
    @Nullable Path csv;

    @Option(names = "--quick", description = "all of it in about a minute, with less certainty")
    boolean quick;

    @Override
    public Integer call() throws Exception {
        if (quick) {
            seconds = 0.3;
            rounds = 1;
        }
        // Both senders may have a landing zone of the largest block at the receiver.
        long largest = sizes.stream().mapToLong(ByteSize::bytes).max().orElse(0);
        node.pool = new ByteSize(Math.max(node.pool.bytes(), 4 * largest));
        progress("starting the receiver");
        List<String> options = List.of("--pool", node.pool + "", "--sinks");
        try (NodeProcess process = NodeProcess.start(options)) {
            List<Carrier> carriers = new ArrayList<>();
            try {
                open(carriers, process);
                PeersReport report = new PeersReport(carriers, sizes);
                for (int round = 1; round <= rounds; round++) {
                    measure(carriers, report, round);
                }
                PrintWriter out = spec.commandLine().getOut();
                report.print(out);
                out.flush();
                if (csv != null) {
                    write(csv, report.csv());
                }
            } finally {
                for (Carrier carrier : carriers) {
                    carrier.close();
                }
            }
        }
        return 0;
    }

    private void open(List<Carrier> carriers, NodeProcess process) throws IOException {
        carriers.add(PushCarrier.start("shm", node, process.port()));
        carriers.add(PushCarrier.start("tcp", node, process.port(), "--fabric.memory.host.shared=false"));
        carriers.addAll(Carriers.open(process.port("nio"), process.port("grpc"), process.port()));
        carriers.add(new CopyCarrier());
    }

    /** By turns, so that what else the machine does falls on all. */
    private void measure(List<Carrier> carriers, PeersReport report, int round) throws Exception {
        for (ByteSize size : sizes) {
            for (Carrier carrier : carriers) {
                progress(String.format(Locale.ROOT, "round %d of %d: %s %s", round, rounds, size, carrier.name()));
                carrier.bandwidth(size.bytes(), seconds / 4);
                report.bandwidth(carrier, size, carrier.bandwidth(size.bytes(), seconds));
                report.latency(carrier, size, carrier.latency(size.bytes(), seconds / 2));
            }
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardCharsets.UTF_8);
    }

    private void progress(String text) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("bench peers: " + text);
        err.flush();
    }
}

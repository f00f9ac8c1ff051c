package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Carrier;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What a push costs, size by size. */
@Command(
        name = "push",
        description = "Pushes to another process: how many, how fast, how late, and what each costs.",
        mixinStandardHelpOptions = true)
final class PushCommand implements Callable<Integer> {

    private static final long CHUNK = 1L << 20;

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Mixin
    NodeOptions node = new NodeOptions();

    @Mixin
    PushPath path = new PushPath();

    @Option(
            names = "--sizes",
            split = ",",
            defaultValue = "64B,1KB,4KB,64KB,1MB,16MB,256MB,1GB",
            description = "sizes of tensors (${DEFAULT-VALUE})")
    List<ByteSize> sizes = List.of();

    @Option(names = "--seconds", defaultValue = "2", description = "length of each measurement (${DEFAULT-VALUE})")
    double seconds = 2;

    @Option(names = "--depth", description = "pushes under way at once (what makes 32 MB, at most 128)")
    int depth;

    @Option(names = "--lanes", defaultValue = "1", description = "bulk lanes of the connection (${DEFAULT-VALUE})")
    int lanes = 1;

    @Option(names = "--chunk", defaultValue = "1MB", description = "length of one RDMA WRITE (${DEFAULT-VALUE})")
    ByteSize chunk = new ByteSize(CHUNK);

    @Option(names = "--csv", description = "file for the figures")
    @Nullable Path csv;

    @Option(names = "--svg", description = "file for a drawing of bandwidth and latency")
    @Nullable Path svg;

    @Option(names = "--quick", description = "all of it in under a minute, with less certainty")
    boolean quick;

    @Override
    public Integer call() throws Exception {
        if (quick) {
            seconds = 0.5;
        }
        long largest = sizes.stream().mapToLong(ByteSize::bytes).max().orElse(0);
        node.pool = new ByteSize(Math.max(node.pool.bytes(), 4 * largest));
        List<Figures> figures = new ArrayList<>();
        progress("starting the processes");
        try (NodeProcess receiver = path.receiver(node);
                PushSender sender = path.sender(
                        node,
                        receiver,
                        List.of(
                                "--fabric.connection.bulk-lanes=" + lanes,
                                "--fabric.transfer.chunk-size=" + chunk.bytes() + "B"))) {
            for (ByteSize size : sizes) {
                progress(size + " for " + seconds + " s");
                figures.add(sender.measure(size, depth > 0 ? depth : Carrier.depth(size.bytes()), seconds));
            }
        }
        PushReport report = new PushReport(figures);
        PrintWriter out = spec.commandLine().getOut();
        report.print(out);
        out.flush();
        write(csv, report.csv());
        write(svg, report.svg());
        return 0;
    }

    private static void write(@Nullable Path file, String text) throws IOException {
        if (file != null) {
            Files.writeString(file, text, StandardCharsets.UTF_8);
        }
    }

    private void progress(String text) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("bench push: " + text);
        err.flush();
    }
}

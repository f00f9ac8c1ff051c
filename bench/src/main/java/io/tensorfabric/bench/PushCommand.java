package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Carrier;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a push costs, size by size. */
@Command(
        name = "push",
        description = "Pushes to another process: how many, how fast, how late, and what each costs.",
        mixinStandardHelpOptions = true)
final class PushCommand implements Callable<Integer> {

    private static final ByteSize SMALL = new ByteSize(4096);

    @Mixin
    MeasureOptions measure = new MeasureOptions(2, 1, 0.5);

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

    @Option(names = "--depth", description = "pushes under way at once (what makes 32 MB, at most 128)")
    int depth;

    @Option(names = "--lanes", defaultValue = "2", description = "bulk lanes of the connection (${DEFAULT-VALUE})")
    int lanes = 2;

    @Option(names = "--chunk", defaultValue = "1MB", description = "length of one RDMA WRITE (${DEFAULT-VALUE})")
    ByteSize chunk = new ByteSize(1L << 20);

    @Option(
            names = "--under-load",
            description = "instead of all that, pushes of 4 KB one at a time, with and without a large one to the same"
                    + " peer under way")
    boolean underLoad;

    @Option(
            names = "--load-size",
            defaultValue = "1GB",
            description = "size of the large push of --under-load (${DEFAULT-VALUE})")
    ByteSize loadSize = new ByteSize(1L << 30);

    @Override
    public Integer call() throws Exception {
        long largest = Stream.concat(sizes.stream(), underLoad ? Stream.of(loadSize) : Stream.empty())
                .mapToLong(ByteSize::bytes)
                .max()
                .orElse(0);
        node.roomFor(largest);
        measure.progress("starting the processes");
        try (NodeProcess receiver = path.receiver(node);
                PushSender sender = path.sender(
                        node,
                        receiver,
                        List.of(
                                "--fabric.connection.bulk-lanes=" + lanes,
                                "--fabric.transfer.chunk-size=" + chunk.bytes() + "B"))) {
            measure.out().println(sender.describeMemory());
            if (underLoad) {
                underLoad(sender);
            } else {
                bySize(sender);
            }
        }
        measure.out().flush();
        return 0;
    }

    private void bySize(PushSender sender) throws Exception {
        List<Figures> figures = new ArrayList<>();
        List<Double> copies = new ArrayList<>();
        try (CopyCarrier copy = new CopyCarrier()) {
            warmUp(sender);
            for (ByteSize size : sizes) {
                measure.progress(size + " for " + measure.seconds() + " s");
                figures.add(median(sender, size));
                copies.add(copy.bandwidth(size.bytes(), Math.min(measure.seconds(), 0.2)));
            }
        }
        PushReport report = new PushReport(figures, copies);
        report.print(measure.out());
        measure.save(report.csv(), report.svg());
    }

    private void warmUp(PushSender sender) throws Exception {
        for (ByteSize size : MeasureOptions.WARM_UP_SIZES) {
            measure.progress("warming up with " + size);
            measure.warmUp(seconds -> sender.measure(size, Carrier.depth(size.bytes()), seconds / 2)
                    .pushesPerSecond());
        }
    }

    /** The round of the median bandwidth, the lower one of two. */
    private Figures median(PushSender sender, ByteSize size) throws Exception {
        List<Figures> rounds = new ArrayList<>();
        for (int round = 0; round < measure.rounds(); round++) {
            int atOnce = depth > 0 ? depth : Carrier.depth(size.bytes());
            rounds.add(sender.measure(size, atOnce, measure.seconds()));
        }
        return Medians.of(rounds, Comparator.comparingDouble(Figures::pushesPerSecond));
    }

    /** By turns, so that what else the machine does falls on both. */
    private void underLoad(PushSender sender) throws Exception {
        warmUp(sender);
        LoadReport report = new LoadReport(SMALL, loadSize);
        for (int round = 1; round <= Math.max(3, measure.rounds()); round++) {
            measure.progress("round " + round + ": " + SMALL + " alone");
            report.alone(sender.latency(SMALL, measure.seconds(), null));
            measure.progress("round " + round + ": " + SMALL + " beside " + loadSize);
            report.loaded(sender.latency(SMALL, measure.seconds(), loadSize));
        }
        PrintWriter out = measure.out();
        report.print(out);
        measure.save(report.csv(), report.svg());
    }
}

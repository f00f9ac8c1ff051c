package io.tensorfabric.bench;

import io.tensorfabric.transfer.TensorTransferService;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Our push beside perftest's WRITE on the same two devices. */
@Command(
        name = "roce",
        description = "Pushes between two processes beside ib_write_bw and ib_write_lat, on the same two RDMA devices.",
        mixinStandardHelpOptions = true)
final class RoceCommand implements Callable<Integer> {

    private static final String PEER = "receiver";

    private static final List<ByteSize> ALL = powers();

    private static final List<ByteSize> FEW =
            Stream.of("64KB", "1MB").map(ByteSize::parse).toList();

    private static final ByteSize SMALL = ByteSize.parse("4KB");

    private static final int WARM_UP_SECONDS = 60;

    private static final int QUICK_WARM_UP_SECONDS = 4;

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Mixin
    MeasureOptions measure = new MeasureOptions(4, 1, 1);

    @Mixin
    NodeOptions node = new NodeOptions();

    @Option(
            names = "--sizes",
            split = ",",
            description = "sizes of tensors and messages (powers of 2 from 2B to 16MB; with --quick 64KB and 1MB)")
    List<ByteSize> sizes = ALL;

    @Option(names = "--devices", split = ",", arity = "1", defaultValue = "rxe0,rxe1", description = "sender, receiver")
    List<String> devices = List.of();

    /** Powers of 2 from 2 bytes to 16 MiB. */
    private static List<ByteSize> powers() {
        return IntStream.rangeClosed(1, 24)
                .mapToObj(power -> new ByteSize(1L << power))
                .toList();
    }

    @Override
    public Integer call() throws Exception {
        if (devices.size() != 2) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--devices are two, a sender's and a receiver's, not " + devices);
        }
        node.provider = "verbs";
        measure.progress("starting the receiver on " + devices.get(1));
        try (Receiver receiver = measure.quick ? receiverHere() : receiverProcess();
                ConfigurableApplicationContext sender = BenchNode.start(senderArguments(receiver.port))) {
            PushMeter push = new PushMeter(sender.getBean(TensorTransferService.class), BenchMemory.of(sender), PEER);
            Perftest perftest = new Perftest(devices.get(1), devices.get(0));
            warmUp(push);
            List<Line> lines = new ArrayList<>();
            for (ByteSize size : measure.fewer(sizes, ALL, FEW)) {
                lines.add(measure(size, push, perftest));
            }
            report(measure.out(), lines);
            measure.save(csv(lines), svg(lines));
        }
        return 0;
    }

    /** The node that pushes go to. */
    private record Receiver(int port, Runnable end) implements AutoCloseable {

        @Override
        public void close() {
            end.run();
        }
    }

    private Receiver receiverProcess() throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(node.forProcess());
        options.addAll(List.of("--device", devices.get(1)));
        NodeProcess process = NodeProcess.start(options);
        return new Receiver(process.port(), process::close);
    }

    /** In this process: another JVM takes as long to start in the guest as all that is measured. */
    private Receiver receiverHere() {
        ConfigurableApplicationContext receiver = BenchNode.start(node.arguments("receiver", devices.get(1)));
        return new Receiver(BenchNode.port(receiver), receiver::close);
    }

    private void warmUp(PushMeter push) throws Exception {
        measure.progress("warming up");
        WarmUp warmUp = new WarmUp(measure.quick ? QUICK_WARM_UP_SECONDS : WARM_UP_SECONDS);
        double rate;
        do {
            rate = push.bandwidth(SMALL.bytes(), 1);
            push.latency(SMALL.bytes(), 0.25);
        } while (warmUp.goesOn(rate, 0));
    }

    private List<String> senderArguments(int port) {
        List<String> arguments = node.arguments("sender", devices.get(0));
        arguments.add("--fabric.peers[0].name=" + PEER);
        arguments.add("--fabric.peers[0].url=http://127.0.0.1:" + port);
        return arguments;
    }

    /** Alternates, so that what else the machine does falls on both; medians of the rounds. */
    private Line measure(ByteSize size, PushMeter push, Perftest perftest) throws Exception {
        int time = (int) Math.max(1, Math.round(measure.seconds()));
        List<Double> ours = new ArrayList<>();
        List<Double> theirs = new ArrayList<>();
        List<Double> ourLatency = new ArrayList<>();
        List<Double> theirLatency = new ArrayList<>();
        measure.progress(size + ": warming up");
        push.bandwidth(size.bytes(), measure.quick ? time / 2.0 : time);
        for (int round = 0; round < measure.rounds(); round++) {
            measure.progress(size + ": ib_write_bw");
            theirs.add(perftest.bandwidth(size.bytes(), time));
            measure.progress(size + ": push");
            ours.add(push.bandwidth(size.bytes(), time));
            measure.progress(size + ": ib_write_lat");
            theirLatency.add(perftest.latency(size.bytes(), time));
            measure.progress(size + ": push, one at a time");
            ourLatency.add(push.latency(size.bytes(), time).micros(50));
        }
        return new Line(size, Medians.of(ours), Medians.of(theirs), Medians.of(ourLatency), Medians.of(theirLatency));
    }

    private static void report(PrintWriter out, List<Line> lines) {
        out.printf("%n%-8s %14s %14s %16s %16s%n", "size", "push MB/s", "ib_write_bw", "push us", "ib_write_lat us");
        for (Line line : lines) {
            out.printf(
                    Locale.ROOT,
                    "%-8s %14.1f %14.1f %16.1f %16.1f%n",
                    line.size,
                    line.push / 1e6,
                    line.perftest / 1e6,
                    line.pushMicros,
                    line.perftestMicros);
        }
        out.println();
        for (Line line : lines) {
            out.printf(Locale.ROOT, "ratio roce-bw %s %.3f%n", line.size, line.push / line.perftest);
        }
        for (Line line : lines) {
            out.printf(Locale.ROOT, "ratio roce-lat %s %.3f%n", line.size, line.pushMicros / line.perftestMicros);
        }
        out.flush();
    }

    private static String csv(List<Line> lines) {
        StringBuilder text = new StringBuilder(
                "bytes,push_bytes_per_second,perftest_bytes_per_second,push_micros,perftest_micros\n");
        for (Line line : lines) {
            text.append(String.format(
                    Locale.ROOT,
                    "%d,%.0f,%.0f,%.3f,%.3f%n",
                    line.size.bytes(),
                    line.push,
                    line.perftest,
                    line.pushMicros,
                    line.perftestMicros));
        }
        return text.toString();
    }

    private static String svg(List<Line> lines) {
        return new SvgPlot("Pushes and ib_write on the same devices")
                .curve("push MB/s", points(lines, line -> line.push / 1e6))
                .curve("ib_write_bw MB/s", points(lines, line -> line.perftest / 1e6))
                .curve("push us", points(lines, Line::pushMicros))
                .curve("ib_write_lat us", points(lines, Line::perftestMicros))
                .draw();
    }

    private static List<SvgPlot.Point> points(List<Line> lines, ToDoubleFunction<Line> value) {
        return lines.stream()
                .map(line -> new SvgPlot.Point(line.size.bytes(), value.applyAsDouble(line)))
                .toList();
    }

    /** Bytes a second and microseconds of a size. */
    private record Line(ByteSize size, double push, double perftest, double pushMicros, double perftestMicros) {}
}

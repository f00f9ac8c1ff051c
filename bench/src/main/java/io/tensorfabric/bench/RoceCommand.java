package io.tensorfabric.bench;

import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.transfer.TensorTransferService;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
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

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Mixin
    NodeOptions node = new NodeOptions();

    @Option(
            names = "--sizes",
            split = ",",
            defaultValue = "4KB,64KB,1MB,16MB",
            description = "sizes of tensors and messages (${DEFAULT-VALUE})")
    List<ByteSize> sizes = List.of();

    @Option(names = "--devices", split = ",", arity = "1", defaultValue = "rxe0,rxe1", description = "sender, receiver")
    List<String> devices = List.of();

    @Option(names = "--seconds", defaultValue = "4", description = "length of each measurement (${DEFAULT-VALUE})")
    int seconds = 4;

    @Option(names = "--quick", description = "all of it in under a minute, with less certainty")
    boolean quick;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        if (devices.size() != 2) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--devices are two, a sender's and a receiver's, not " + devices);
        }
        List<String> receiver = List.of("--device", devices.get(1), "--provider", "verbs", "--pool", node.pool + "");
        node.provider = "verbs";
        progress("starting the receiver on " + devices.get(1));
        try (NodeProcess process = NodeProcess.start(receiver);
                ConfigurableApplicationContext sender = BenchNode.start(senderArguments(process.port()))) {
            PushMeter push = new PushMeter(
                    sender.getBean(TensorTransferService.class), sender.getBean(MemoryRegionPool.class), PEER);
            Perftest perftest = new Perftest(devices.get(1), devices.get(0));
            List<Line> lines = new ArrayList<>();
            for (ByteSize size : sizes) {
                lines.add(measure(size, push, perftest));
            }
            report(out, lines);
        }
        return 0;
    }

    private List<String> senderArguments(int port) {
        List<String> arguments = node.arguments("sender", devices.get(0));
        arguments.add("--fabric.peers[0].name=" + PEER);
        arguments.add("--fabric.peers[0].url=http://127.0.0.1:" + port);
        return arguments;
    }

    /** Alternates, so that what else the machine does falls on both. */
    private Line measure(ByteSize size, PushMeter push, Perftest perftest) throws Exception {
        int time = quick ? 1 : seconds;
        progress(size + ": warming up");
        push.bandwidth(size.bytes(), time);
        progress(size + ": ib_write_bw");
        double theirs = perftest.bandwidth(size.bytes(), time);
        progress(size + ": push");
        double ours = push.bandwidth(size.bytes(), time);
        progress(size + ": ib_write_lat");
        double theirLatency = perftest.latency(size.bytes(), time);
        progress(size + ": push, one at a time");
        double ourLatency = push.latency(size.bytes(), time).micros(50);
        return new Line(size, ours, theirs, ourLatency, theirLatency);
    }

    private void progress(String text) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("bench roce: " + text);
        err.flush();
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

    /** Bytes a second and microseconds of a size. */
    private record Line(ByteSize size, double push, double perftest, double pushMicros, double perftestMicros) {}
}

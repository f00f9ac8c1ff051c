package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Samples;
import io.tensorfabric.transfer.TensorTransferService;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

/** A node in this process that pushes to one receiver, and measures that. */
final class PushSender implements AutoCloseable {

    private static final String PEER = "receiver";

    private final ConfigurableApplicationContext node;

    private final PushMeter meter;

    private final @Nullable ProcessHandle receiver;

    private PushSender(ConfigurableApplicationContext node, @Nullable ProcessHandle receiver) {
        this.node = node;
        this.receiver = receiver;
        this.meter = new PushMeter(node.getBean(TensorTransferService.class), BenchMemory.of(node), PEER);
    }

    /** Where tensors lie, and how they get there. */
    String describeMemory() {
        return BenchMemory.of(node).describe();
    }

    /** Starts it; {@code receiver} is the process at the URL, null when it runs elsewhere. */
    static PushSender start(NodeOptions options, String url, @Nullable ProcessHandle receiver, List<String> more) {
        List<String> arguments = options.arguments("sender", "");
        arguments.add("--fabric.peers[0].name=" + PEER);
        arguments.add("--fabric.peers[0].url=" + url);
        arguments.addAll(more);
        return new PushSender(BenchNode.start(arguments), receiver);
    }

    /** Measures a size after a warm-up; {@code depth} pushes are under way at once when many are. */
    Figures measure(ByteSize size, int depth, double seconds) throws Exception {
        meter.series(size.bytes(), depth, seconds / 4);
        ProcessCost before = ProcessCost.now(receiver);
        PushMeter.Series series = meter.series(size.bytes(), depth, seconds);
        ProcessCost cost = ProcessCost.now(receiver).since(before);
        Samples latency = meter.latency(size.bytes(), seconds / 2);
        return new Figures(
                size,
                series.pushesPerSecond(),
                cost.cpuNanos() / ((double) size.bytes() * series.pushes()),
                (double) cost.allocated() / series.pushes(),
                latency.micros(50),
                latency.micros(99),
                latency.micros(99.9));
    }

    /**
     * How long pushes of a size take, one at a time.
     *
     * @param load size of the tensor that is pushed to the same peer all the while, null for none
     */
    LoadReport.Latency latency(ByteSize size, double seconds, @Nullable ByteSize load) throws Exception {
        meter.latency(size.bytes(), seconds / 4);
        if (load == null) {
            return new LoadReport.Latency(meter.latency(size.bytes(), seconds), 0);
        }
        try (BackgroundPushes background = BackgroundPushes.start(meter, load.bytes())) {
            Samples samples = meter.latency(size.bytes(), seconds);
            return new LoadReport.Latency(samples, background.end());
        }
    }

    /** Bytes a second, without anything else. */
    double bandwidth(ByteSize size, int depth, double seconds) throws Exception {
        meter.series(size.bytes(), depth, seconds / 4);
        return size.bytes() * meter.series(size.bytes(), depth, seconds).pushesPerSecond();
    }

    @Override
    public void close() {
        node.close();
    }
}

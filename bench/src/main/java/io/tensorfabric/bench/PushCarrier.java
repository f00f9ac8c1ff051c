package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Carrier;
import io.tensorfabric.transfer.TensorTransferService;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;

/** Our pushes, by a node of their own in this process. */
final class PushCarrier implements Carrier {

    private static final String PEER = "receiver";

    private final String name;

    private final ConfigurableApplicationContext node;

    private final PushMeter meter;

    private PushCarrier(String name, ConfigurableApplicationContext node) {
        this.name = name;
        this.node = node;
        this.meter = new PushMeter(node.getBean(TensorTransferService.class), BenchMemory.of(node), PEER);
    }

    /** Starts a node that pushes to a receiver on this machine. */
    static PushCarrier start(String name, NodeOptions options, int receiverPort, String... more) {
        List<String> arguments = options.arguments("sender-" + name, "");
        arguments.add("--fabric.peers[0].name=" + PEER);
        arguments.add("--fabric.peers[0].url=http://127.0.0.1:" + receiverPort);
        arguments.addAll(List.of(more));
        return new PushCarrier(name, BenchNode.start(arguments));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double bandwidth(long size, double seconds) throws Exception {
        return meter.bandwidth(size, seconds);
    }

    @Override
    public double latency(long size, double seconds) throws Exception {
        return meter.latency(size, seconds).micros(50);
    }

    @Override
    public void close() {
        node.close();
    }
}

package io.tensorfabric.bench;

import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.FabricNode;
import io.tensorfabric.bench.peers.Samples;
import io.tensorfabric.transfer.TensorTransferService;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.context.ConfigurableApplicationContext;

/** The measured node, in this process, to which peers connect. Not thread-safe. */
final class IdleNode implements AutoCloseable {

    /** More than a connection takes beside its landing zone. */
    private static final long ROOM = 4L << 20;

    /** Entries of a completion queue that a connection of two bulk lanes reserves. */
    private static final int RECEIVES = 192;

    private static final int LEAST_RECEIVES = 32_768;

    private static final ByteSize SMALL = new ByteSize(4096);

    private final ConfigurableApplicationContext context;

    private final FabricNode node;

    private final PushMeter meter;

    private IdleNode(ConfigurableApplicationContext context) {
        this.context = context;
        this.node = context.getBean(FabricLifecycle.class).requireNode();
        this.meter =
                new PushMeter(context.getBean(TensorTransferService.class), BenchMemory.of(context), IdlePeer.id(0));
    }

    /** Starts it with room for so many peers. */
    static IdleNode start(int most, ByteSize zone, List<String> more) {
        NodeOptions options = new NodeOptions();
        options.pool = new ByteSize(most * (2 * zone.bytes() + ROOM) + (64L << 20));
        List<String> arguments = options.arguments(IdlePeer.MEASURED, "");
        arguments.add("--fabric.landing.zone-size=" + zone);
        arguments.add("--fabric.negotiation.max-connections-per-address=" + 2 * most);
        arguments.add("--fabric.connection.max-connections=" + 2 * most);
        arguments.add("--fabric.completion.receive-entries=" + Math.max(LEAST_RECEIVES, (most + 1) * RECEIVES));
        // Else each peer's call leaves a socket open for a while, which is the web server's and not the fabric's.
        arguments.add("--server.tomcat.keep-alive-timeout=100ms");
        arguments.addAll(more);
        return new IdleNode(BenchNode.start(arguments));
    }

    String url() {
        return "http://127.0.0.1:" + BenchNode.port(context);
    }

    /** Waits until just so many peers are connected. */
    void awaitPeers(int count) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PushMeter.PATIENCE_SECONDS);
        while (node.connections().connections().size() != count) {
            if (System.nanoTime() - end > 0) {
                throw new IOException(
                        "The node has " + node.connections().connections().size() + " connections and not " + count);
            }
            Thread.sleep(10);
        }
    }

    /** What it holds now. */
    Footprint footprint() throws IOException {
        return Footprint.of(node);
    }

    /**
     * Does nothing for some time.
     *
     * @return by which part of the time this process kept a processor busy, and another process did
     */
    IdleReport.Load idle(double seconds, ProcessHandle others) throws IOException, InterruptedException {
        CpuTime own = CpuTime.of(ProcessHandle.current());
        CpuTime theirs = CpuTime.of(others);
        long start = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
        double ownNanos = CpuTime.of(ProcessHandle.current()).since(own);
        double theirNanos = CpuTime.of(others).since(theirs);
        double passed = System.nanoTime() - start;
        return new IdleReport.Load(ownNanos / passed, theirNanos / passed);
    }

    /** Pushes small tensors to the first peer, one at a time. */
    Samples latency(double seconds) throws Exception {
        return meter.latency(SMALL.bytes(), seconds);
    }

    @Override
    public void close() {
        context.close();
    }
}

package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Carrier;
import io.tensorfabric.bench.peers.Carriers;
import io.tensorfabric.bench.peers.Ports;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Our push beside other ways of Java, between the same two processes. */
@Command(
        name = "peers",
        description = {
            "Brings blocks from one process to another on this machine, by turns: our push through shared memory (shm)"
                    + " and through sockets (tcp), plain NIO sockets, a gRPC stream, Arrow Flight, Spring's RestClient, puts of"
                    + " UCX through shared memory and sockets;",
            "and copies them within one process (memcpy). Medians of several rounds."
        },
        mixinStandardHelpOptions = true)
final class PeersCommand implements Callable<Integer> {

    @Mixin
    MeasureOptions measure = new MeasureOptions(1, 3, 0.15);

    @Mixin
    NodeOptions node = new NodeOptions();

    @Option(
            names = "--sizes",
            split = ",",
            defaultValue = "4KB,64KB,1MB,16MB,256MB",
            description = "sizes of blocks (${DEFAULT-VALUE})")
    List<ByteSize> sizes = List.of();

    @Override
    public Integer call() throws Exception {
        // Both senders may have a landing zone of the largest block at the receiver.
        node.roomFor(sizes.stream().mapToLong(ByteSize::bytes).max().orElse(0));
        measure.progress("starting the receiver");
        List<String> options = new ArrayList<>(node.forProcess());
        options.add("--sinks");
        try (NodeProcess process = NodeProcess.start(options);
                Carrier shm = PushCarrier.start("shm", node, process.port());
                Carrier tcp = PushCarrier.start("tcp", node, process.port(), "--fabric.memory.host.shared=false");
                Carriers others = Carriers.open(ports(process));
                Carrier copy = new CopyCarrier()) {
            List<Carrier> carriers = new ArrayList<>(List.of(shm, tcp));
            carriers.addAll(others.all());
            carriers.add(copy);
            PeersReport report = new PeersReport(carriers, others.missing(), sizes);
            warmUp(carriers);
            for (int round = 1; round <= measure.rounds(); round++) {
                measure(carriers, report, round);
            }
            report.print(measure.out());
            measure.out().flush();
            measure.save(report.csv(), report.svg());
        }
        return 0;
    }

    private static Ports ports(NodeProcess process) {
        return new Ports(
                process.port("nio"), process.port("grpc"), process.port("flight"), process.port("ucx"), process.port());
    }

    private void warmUp(List<Carrier> carriers) throws Exception {
        for (Carrier carrier : carriers) {
            for (ByteSize size : MeasureOptions.WARM_UP_SIZES) {
                measure.progress("warming up " + carrier.name() + " with " + size);
                measure.warmUp(seconds -> {
                    carrier.latency(size.bytes(), seconds / 4);
                    return carrier.bandwidth(size.bytes(), seconds / 2);
                });
            }
        }
    }

    /** By turns, so that what else the machine does falls on all. */
    private void measure(List<Carrier> carriers, PeersReport report, int round) throws Exception {
        for (ByteSize size : sizes) {
            for (Carrier carrier : carriers) {
                String what = size + " " + carrier.name();
                measure.progress("round " + round + " of " + measure.rounds() + ": " + what);
                double seconds = measure.seconds();
                carrier.bandwidth(size.bytes(), seconds / 4);
                report.bandwidth(carrier, size, carrier.bandwidth(size.bytes(), seconds));
                report.latency(carrier, size, carrier.latency(size.bytes(), seconds / 2));
            }
        }
    }
}

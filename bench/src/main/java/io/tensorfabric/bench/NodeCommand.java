package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Ports;
import io.tensorfabric.bench.peers.Sinks;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The receiving process: prints its ports and runs until its standard input ends. */
@Command(name = "node", hidden = true, description = "A process that receives.")
final class NodeCommand implements Callable<Integer> {

    static final String READY = "bench node ready on ports ";

    /** Before a line of the standard input that was acted upon. */
    static final String DONE = "bench node done: ";

    @Mixin
    NodeOptions node = new NodeOptions();

    @Option(names = "--device", defaultValue = "")
    String device = "";

    @Option(names = "--sinks", description = "also receive by other ways than pushes")
    boolean sinks;

    @Option(names = "--argument", description = "of the application")
    List<String> arguments = List.of();

    @Override
    public Integer call() throws IOException {
        List<String> all = node.arguments("receiver", device);
        all.addAll(arguments);
        try (ConfigurableApplicationContext context = BenchNode.start(all);
                Sinks others = sinks ? Sinks.open() : null) {
            System.out.println(READY + "http=" + BenchNode.port(context) + (others == null ? "" : describe(others)));
            while (System.in.read() >= 0) {
                // Waits for the end of the process that started this one.
            }
        }
        return 0;
    }

    private static String describe(Sinks others) throws IOException {
        Ports ports = others.ports(0);
        return " nio=" + ports.nio() + " grpc=" + ports.grpc() + " flight=" + ports.flight() + " ucx=" + ports.ucx();
    }
}

package io.tensorfabric.bench;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The receiving process: prints its port and runs until its standard input ends. */
@Command(name = "node", hidden = true, description = "A process that receives.")
final class NodeCommand implements Callable<Integer> {

    static final String READY = "bench node ready on port ";

    @Mixin
    NodeOptions node = new NodeOptions();

    @Option(names = "--device", defaultValue = "")
    String device = "";

    @Override
    public Integer call() throws IOException {
        try (ConfigurableApplicationContext context = BenchNode.start(node.arguments("receiver", device))) {
            System.out.println(READY + BenchNode.port(context));
            while (System.in.read() >= 0) {
                // Waits for the end of the process that started this one.
            }
        }
        return 0;
    }
}

package io.tensorfabric.bench;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** What a node of a benchmark runs on. */
final class NodeOptions {

    @Option(names = "--provider", defaultValue = "soft", description = "soft or verbs (${DEFAULT-VALUE})")
    String provider = "soft";

    @Option(names = "--pool", defaultValue = "512MB", description = "memory for buffers (${DEFAULT-VALUE})")
    ByteSize pool = new ByteSize(512L << 20);

    /** Arguments for the Spring application of a node. */
    List<String> arguments(String node, String device) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.application.name=bench-" + node,
                "--spring.main.banner-mode=off",
                "--logging.level.root=WARN",
                "--server.address=127.0.0.1",
                "--server.port=0",
                "--fabric.node-id=" + node,
                "--fabric.provider=" + provider,
                "--fabric.memory.host.slab-size=64MB",
                "--fabric.memory.host.max-size=" + pool,
                "--fabric.landing.max-dedicated-size=" + pool));
        if (!device.isEmpty()) {
            arguments.add("--fabric.device=" + device);
        }
        return arguments;
    }
}

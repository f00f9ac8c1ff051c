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

    @Option(
            names = "--gpu",
            description =
                    "tensors lie in memory of the first GPU at both ends (in host memory, and GPUs are left alone)")
    boolean gpu;

    /** Makes pools so large that senders and landing zones have room for tensors of a size. */
    void roomFor(long bytes) {
        pool = new ByteSize(Math.max(pool.bytes(), 5 * bytes));
    }

    /** The same as arguments of {@link NodeCommand}. */
    List<String> forProcess() {
        List<String> options = new ArrayList<>(List.of("--provider", provider, "--pool", pool.toString()));
        if (gpu) {
            options.add("--gpu");
        }
        return options;
    }

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
        if (gpu) {
            arguments.add("--fabric.landing.memory=auto");
            arguments.add("--fabric.gpu.devices=0");
            arguments.add("--fabric.memory.gpu.max-size=" + pool);
        } else {
            arguments.add("--fabric.gpu.enabled=false");
        }
        if (!device.isEmpty()) {
            arguments.add("--fabric.device=" + device);
        }
        return arguments;
    }
}

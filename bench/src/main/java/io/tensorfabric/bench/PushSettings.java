package io.tensorfabric.bench;

import io.tensorfabric.connection.CompletionMode;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** How the nodes of a benchmark are set, both ends alike. */
final class PushSettings {

    @Option(names = "--tcp", description = "through sockets also between processes of one machine")
    boolean tcp;

    @Option(
            names = "--mode",
            defaultValue = "ADAPTIVE",
            description = "how both ends wait for completions: spin, adaptive or event (adaptive)")
    CompletionMode mode = CompletionMode.ADAPTIVE;

    @Option(names = "--set", description = "a property of both nodes, such as fabric.completion.pollers=2")
    List<String> properties = List.of();

    /** The same as arguments for the Spring application of a node. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        arguments.add("--fabric.completion.mode=" + mode);
        if (tcp) {
            arguments.add("--fabric.memory.host.shared=false");
        }
        properties.forEach(property -> arguments.add("--" + property));
        return arguments;
    }
}

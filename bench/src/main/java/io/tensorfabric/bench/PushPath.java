package io.tensorfabric.bench;

import io.tensorfabric.connection.CompletionMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How pushes of a benchmark go, and to whom. */
final class PushPath {

    @Option(
            names = "--peer",
            description =
                    "URL of a running node of yours to push to, which allows the node id 'sender'; its shared secret"
                            + " is taken from FABRIC_SECURITY_SHARED_SECRET (a process of this benchmark's)")
    @Nullable String peer;

    @Option(names = "--tcp", description = "through sockets also between processes of one machine")
    boolean tcp;

    @Option(
            names = "--mode",
            defaultValue = "ADAPTIVE",
            description = "how both ends wait for completions: spin, adaptive or event (adaptive)")
    CompletionMode mode = CompletionMode.ADAPTIVE;

    @Option(names = "--set", description = "a property of both nodes, such as fabric.completion.pollers=2")
    List<String> properties = List.of();

    /** Starts the receiver, unless it runs already. */
    @Nullable NodeProcess receiver(NodeOptions node) throws IOException, InterruptedException {
        if (peer != null) {
            return null;
        }
        List<String> options = new ArrayList<>(node.forProcess());
        arguments().forEach(argument -> options.add("--argument=" + argument));
        return NodeProcess.start(options);
    }

    /** Starts a sender to that receiver; later arguments win over earlier ones. */
    PushSender sender(NodeOptions node, @Nullable NodeProcess receiver, List<String> more) {
        List<String> arguments = arguments();
        arguments.addAll(more);
        return receiver == null
                ? PushSender.start(node, Objects.requireNonNull(peer), null, arguments)
                : PushSender.start(node, "http://127.0.0.1:" + receiver.port(), receiver.handle(), arguments);
    }

    private List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        arguments.add("--fabric.completion.mode=" + mode);
        if (tcp) {
            arguments.add("--fabric.memory.host.shared=false");
        }
        properties.forEach(property -> arguments.add("--" + property));
        return arguments;
    }
}

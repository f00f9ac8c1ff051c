package io.tensorfabric.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How pushes of a benchmark go, and to whom. */
final class PushPath {

    /** How a thread waits for completions. */
    enum Mode {
        /** It polls without a pause. */
        SPIN("1h"),
        /** It polls for a moment, then sleeps until an event. */
        ADAPTIVE("20us"),
        /** It sleeps until an event. */
        EVENT("0us");

        private final String spin;

        Mode(String spin) {
            this.spin = spin;
        }
    }

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
            description = "how both ends wait for completions: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE})")
    Mode mode = Mode.ADAPTIVE;

    @Option(names = "--set", description = "a property of both nodes, such as fabric.completion.pollers=2")
    List<String> properties = List.of();

    /** Starts the receiver, unless it runs already. */
    @Nullable NodeProcess receiver(NodeOptions node) throws IOException, InterruptedException {
        if (peer != null) {
            return null;
        }
        List<String> options = new ArrayList<>(List.of("--provider", node.provider, "--pool", node.pool + ""));
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
        arguments.add("--fabric.completion.spin=" + mode.spin);
        if (tcp) {
            arguments.add("--fabric.memory.host.shared=false");
        }
        properties.forEach(property -> arguments.add("--" + property));
        return arguments;
    }
}

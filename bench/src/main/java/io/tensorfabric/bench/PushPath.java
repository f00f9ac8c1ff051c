package io.tensorfabric.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How pushes of a benchmark go, and to whom. */
final class PushPath {

    @Option(
            names = "--peer",
            description =
                    "URL of a running node of yours to push to, which allows the node id 'sender'; its shared secret"
                            + " is taken from FABRIC_SECURITY_SHARED_SECRET (a process of this benchmark's)")
    @Nullable String peer;

    @Mixin
    PushSettings settings = new PushSettings();

    /** Starts the receiver, unless it runs already. */
    @Nullable NodeProcess receiver(NodeOptions node) throws IOException, InterruptedException {
        if (peer != null) {
            return null;
        }
        List<String> options = new ArrayList<>(node.forProcess());
        settings.arguments().forEach(argument -> options.add("--argument=" + argument));
        return NodeProcess.start(options);
    }

    /** Starts a sender to that receiver; later arguments win over earlier ones. */
    PushSender sender(NodeOptions node, @Nullable NodeProcess receiver, List<String> more) {
        List<String> arguments = settings.arguments();
        arguments.addAll(more);
        return receiver == null
                ? PushSender.start(node, Objects.requireNonNull(peer), null, arguments)
                : PushSender.start(node, "http://127.0.0.1:" + receiver.port(), receiver.handle(), arguments);
    }
}

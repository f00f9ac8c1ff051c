package io.tensorfabric.testing;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;

/** Two nodes, {@code node-a} and {@code node-b}, that know each other. Closing them fails if something was leaked. */
public final class TwoNodes implements AutoCloseable {

    /** Name and node id of the first node, which is the lower one. */
    public static final String A = "node-a";

    /** Name and node id of the second node. */
    public static final String B = "node-b";

    private final LocalNetwork network;
    private final UnaryOperator<TestNode.Builder> customizer;
    private TestNode a;
    private TestNode b;

    private TwoNodes(LocalNetwork network, UnaryOperator<TestNode.Builder> customizer) {
        this.network = network;
        this.customizer = customizer;
        this.a = start(A);
        this.b = start(B);
    }

    /** Two nodes with {@link #quickOptions()}. */
    public static TwoNodes start() {
        return start(UnaryOperator.identity());
    }

    /** Two nodes that differ from the default. */
    public static TwoNodes start(UnaryOperator<TestNode.Builder> customizer) {
        return new TwoNodes(new LocalNetwork(), customizer);
    }

    /** Options for tests: short backoff, heartbeats that a busy machine does not lose. */
    public static ConnectionOptions.Builder quickOptions() {
        return ConnectionOptions.builder()
                .reconnectBackoff(Duration.ofMillis(50))
                .maxReconnectBackoff(Duration.ofSeconds(1))
                .drainTimeout(Duration.ofSeconds(2))
                .heartbeatTimeout(Duration.ofSeconds(10));
    }

    private TestNode start(String name) {
        return customizer
                .apply(TestNode.builder(name, network)
                        .peers(name.equals(A) ? B : A)
                        .options(quickOptions().build()))
                .start();
    }

    /** The lower node. */
    public TestNode a() {
        return a;
    }

    /** The higher node. */
    public TestNode b() {
        return b;
    }

    /** What carries their negotiations. */
    public LocalNetwork network() {
        return network;
    }

    /** Starts A anew, with another incarnation; it was killed or closed. */
    public void restartA() {
        a = start(A);
    }

    /** Starts B anew, with another incarnation; it was killed or closed. */
    public void restartB() {
        b = start(B);
    }

    /** A's connection to B, made by A, UP at both ends. */
    public Connection connect() {
        Connection connection = connect(a, B);
        Awaitility.await()
                .atMost(Duration.ofSeconds(5))
                .until(() ->
                        b.manager().find(A) != null && b.manager().find(A).id().equals(connection.id()));
        return connection;
    }

    /** The connection of a node to a peer. */
    public static Connection connect(TestNode node, String peer) {
        return Assertions.assertThat(node.manager().connect(peer))
                .succeedsWithin(Duration.ofMillis(TimeUnit.SECONDS.toMillis(10)))
                .actual();
    }

    /** The connection of B that is the other end of one of A. */
    public Connection otherEnd() {
        Connection connection = b.manager().find(A);
        Assertions.assertThat(connection).as("connection of B to A").isNotNull();
        return connection;
    }

    @Override
    public void close() {
        a.close();
        b.close();
    }
}

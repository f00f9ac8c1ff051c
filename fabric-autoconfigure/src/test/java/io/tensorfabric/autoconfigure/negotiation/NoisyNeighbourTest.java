package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.LaneOffer;
import io.tensorfabric.connection.LanePurpose;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.PathOffer;
import io.tensorfabric.connection.PeerStatus;
import io.tensorfabric.connection.QueuePairConnectionManager;
import io.tensorfabric.connection.Transmission;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.RecordingHandler;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.transfer.FabricTransfers;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TransferOptions;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One peer writes with wrong keys, another opens connections without end; a third one pushes on. */
@Timeout(120)
class NoisyNeighbourTest {

    private static final int PUSHES = 50;

    private static final int BYTES = 100 * 1024;

    private static final int WRONG_WRITES = 1000;

    private static final int WRITES_EACH = 20;

    private static final int CONNECTIONS = 500;

    private static final int LIMIT = 4;

    private final LocalNetwork network = new LocalNetwork();

    private static FabricTransfers transfers(TestNode node) {
        FabricTransfers transfers = FabricTransfers.builder()
                .options(TransferOptions.builder().landingZoneSize(1 << 20).build())
                .pool(node.pool())
                .protectionDomain(node.device().protectionDomain())
                .connector(peer -> node.manager().connect(peer))
                .build();
        transfers.start();
        return transfers;
    }

    @Test
    void whenPeersMisbehaveThenTheyAreLimitedAndAGoodOneIsNotDisturbed() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (TestNode victim = TestNode.builder("victim", network)
                        .handler(NoisyNeighbourTest::transfers)
                        .start();
                TestNode good = TestNode.builder("good", network)
                        .peers("victim")
                        .handler(NoisyNeighbourTest::transfers)
                        .start();
                TestNode evil =
                        TestNode.builder("evil", network).peers("victim").start();
                NegotiationServer rest = NegotiationServer.start(
                        victim.manager(), "fabric.negotiation.max-connections-per-address=" + LIMIT)) {
            victim.manager().addListener(rest.limitsListener());
            ((FabricTransfers) victim.handler()).register("all", "*", "*", ReceivedTensor::close);
            Future<Integer> refused = threads.submit(() -> openConnections(rest.port()));
            Future<Integer> wrong = threads.submit(writeWithWrongKeys(evil));
            push((FabricTransfers) good.handler(), () -> refused.isDone() && wrong.isDone());
            assertThat(refused.get()).isGreaterThan(LIMIT);
            assertThat(wrong.get()).isEqualTo(WRONG_WRITES);
            assertThat(evil.device().completionCounters()).containsKey(WorkCompletionStatus.REM_ACCESS_ERR);
            assertBlamed(victim.manager());
            ((FabricTransfers) good.handler()).close(Duration.ofSeconds(5));
            ((FabricTransfers) victim.handler()).close(Duration.ofSeconds(5));
        } finally {
            threads.shutdownNow();
        }
    }

    /** One push each 100 ms, which is 1 MB/s, until the attacks are over; none fails, and none has fallen behind by the end. */
    private static void push(FabricTransfers from, BooleanSupplier over) throws Exception {
        try (Tensor tensor = Tensor.copyOf("t", DataType.U8, Shape.of(BYTES), new byte[BYTES])) {
            from.push("victim", tensor).get(20, TimeUnit.SECONDS);
            List<CompletableFuture<?>> pushes = new ArrayList<>();
            while (pushes.size() < PUSHES || !over.getAsBoolean()) {
                pushes.add(from.push("victim", tensor));
                Thread.sleep(100);
            }
            long end = System.nanoTime();
            for (CompletableFuture<?> push : pushes) {
                push.get(20, TimeUnit.SECONDS);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - end)).isLessThan(Duration.ofSeconds(1));
        }
    }

    private static void assertBlamed(QueuePairConnectionManager victim) {
        PeerStatus evil = victim.peers().stream()
                .filter(peer -> "evil".equals(peer.nodeId()))
                .findFirst()
                .orElseThrow();
        assertThat(evil.lastFailure()).isNotNull();
        assertThat(victim.find("good")).isNotNull();
    }

    /** Writes with keys that are not its own, some for each connection, of which the first one ends it. */
    private static Callable<Integer> writeWithWrongKeys(TestNode evil) {
        return () -> {
            int written = 0;
            try (BufferLease source = evil.pool().acquire(64, "test")) {
                while (written < WRONG_WRITES) {
                    evil.manager().resetBackoff("victim");
                    Connection connection = evil.manager().connect("victim").get(20, TimeUnit.SECONDS);
                    ZoneGrant zone = ((RecordingHandler) evil.handler())
                            .zonesOf(connection)
                            .get(0);
                    int most = Math.min(WRITES_EACH, WRONG_WRITES - written);
                    for (int i = 0; i < most; i++) {
                        written += write(connection.lanes().get(0), source, zone, 0x1000 + i * 257) ? 1 : 0;
                    }
                    await().until(() -> evil.manager().find("victim") == null);
                }
            }
            return written;
        };
    }

    private static boolean write(Lane lane, BufferLease source, ZoneGrant zone, int change) {
        Transmission transmission = lane.begin(1, false);
        if (transmission == null) {
            return false;
        }
        transmission.write(
                source.address(),
                64,
                source.region().lkey(),
                zone.address(),
                zone.rkeys().get(0) ^ change);
        transmission.submit((on, token, status, vendor) -> {}, 0);
        return true;
    }

    /** Asks for connections under one node id after the other; returns how many were limited. */
    private static int openConnections(int port) throws IOException {
        // Takes TCP connections and says nothing, which keeps the victim's half-open connections as long as can be.
        try (ServerSocket silent = new ServerSocket(0, 1000, InetAddress.getByName("127.0.0.1"))) {
            return openConnections(port, silent.getLocalPort());
        }
    }

    private static int openConnections(int port, int silentPort) throws IOException {
        int limited = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            ConnectRequest request = new ConnectRequest(
                    1,
                    UUID.randomUUID().toString(),
                    new NodeIdentity("many-" + i, "1"),
                    "soft",
                    new PathOffer("0000:0000:0000:0000:0000:ffff:7f00:0001", 0, 4096, "SOFTWARE", "ROCE_V2"),
                    List.of(new LaneOffer(
                            0,
                            LanePurpose.CONTROL,
                            17,
                            4711,
                            64,
                            "soft:127.0.0.1:" + silentPort + ":" + "ab".repeat(32))));
            String answer = post(port, new NegotiationJson().write(request));
            // Nobody is at the address that it names, so some end before they are answered.
            assertThat(answer).containsAnyOf("HTTP/1.1 200", "HTTP/1.1 429", "\"kind\":\"LOST\"");
            limited += answer.startsWith("HTTP/1.1 429") ? 1 : 0;
        }
        return limited;
    }

    /** From an address of its own, as from another machine. */
    private static String post(int port, byte[] body) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port, InetAddress.getByName("127.0.0.9"), 0)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream()
                    .write(("POST /fabric/v1/connections HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                    + "Content-Type: application/json\r\nContent-Length: " + body.length + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(body);
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

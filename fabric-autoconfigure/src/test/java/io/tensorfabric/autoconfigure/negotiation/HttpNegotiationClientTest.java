package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.connection.EstablishedRequest;
import io.tensorfabric.connection.NegotiationClient;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.ZoneRequest;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ObjectAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HttpNegotiationClientTest {

    private static final String SECRET = "fabric.security.shared-secret=" + RawCalls.SECRET;

    private static final Duration LONG = Duration.ofSeconds(10);

    private static final String ID =
            FakeNegotiationHandler.request(Clients.SELF).connectionId();

    private static ObjectAssert<ConnectionException> assertFails(ThrowingCallable call) {
        return assertThatThrownBy(call).asInstanceOf(type(ConnectionException.class));
    }

    private static ConnectResponse connect(NegotiationClient client, Peer peer) {
        return client.connect(peer, FakeNegotiationHandler.request(Clients.SELF), LONG);
    }

    @ParameterizedTest
    @ValueSource(strings = {SECRET, "fabric.security.clock-skew=30s"})
    void whenAllIsWellThenEveryCallArrives(String property) {
        try (NegotiationServer server = NegotiationServer.start("responder", property)) {
            NegotiationClient client = Clients.client(property);
            assertThat(connect(client, server.peer()).zones()).containsExactly(FakeNegotiationHandler.ZONE);
            EstablishedRequest established =
                    new EstablishedRequest(Clients.SELF, List.of("RTS"), List.of(FakeNegotiationHandler.ZONE));
            assertThat(client.established(server.peer(), ID, established, LONG).queuePairStates())
                    .containsExactly("RTS");
            assertThat(client.openZone(server.peer(), ID, new ZoneRequest(Clients.SELF, 1L << 40), LONG)
                            .address())
                    .isEqualTo(FakeNegotiationHandler.ZONE.address());
            client.close(server.peer(), ID, LONG);
            assertThat(client.node(server.peer(), LONG).identity().nodeId()).isEqualTo("responder");
            assertThat(server.handler.calls)
                    .containsExactly(
                            "connect " + ID,
                            "established " + ID + " 1",
                            "zone " + ID + " 1099511627776",
                            "close " + ID + " of caller");
        }
    }

    @Test
    void whenThePeerRestartedThenTheClientAsksAnewWhoItIs() {
        try (NegotiationServer server = NegotiationServer.start("responder", SECRET)) {
            NegotiationClient client = Clients.client(SECRET);
            connect(client, server.peer());
            server.handler.identity = new NodeIdentity("responder", "responder-start-2");
            assertFails(() -> client.openZone(server.peer(), ID, new ZoneRequest(Clients.SELF, 1), LONG))
                    .extracting(ConnectionException::kind)
                    .isEqualTo(Kind.UNREACHABLE);
            assertThat(connect(client, server.peer()).responder().incarnation()).isEqualTo("responder-start-2");
            server.handler.identity = new NodeIdentity("responder", "responder-start-3");
            assertThat(connect(client, server.peer()).responder().incarnation()).isEqualTo("responder-start-3");
        }
    }

    @Test
    void whenTheSecretsDifferThenTheCallIsRefused() {
        try (NegotiationServer server = NegotiationServer.start("responder", SECRET)) {
            NegotiationClient client = Clients.client("fabric.security.shared-secret=the secret of another tenant");
            assertFails(() -> connect(client, server.peer()))
                    .returns(Kind.REFUSED, ConnectionException::kind)
                    .extracting(Throwable::getMessage)
                    .asString()
                    .contains("401", "not signed", server.uri().toString())
                    .doesNotContain("the secret of another tenant");
        }
    }

    @Test
    void whenThePeerHasNoSecretThenItsAnswerIsNotBelieved() {
        try (NegotiationServer server = NegotiationServer.start("responder")) {
            assertFails(() -> connect(Clients.client(SECRET), server.peer()))
                    .returns(Kind.REFUSED, ConnectionException::kind)
                    .extracting(Throwable::getMessage)
                    .asString()
                    .contains("fabric.security.shared-secret");
            assertThat(server.handler.calls).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whenThePeerRefusesThenKindAndWordsComeBack(Kind kind) {
        try (NegotiationServer server = NegotiationServer.start("responder", SECRET)) {
            server.handler.failure = new ConnectionException(kind, "caller", "No, because of reasons");
            Kind expected = switch (kind) {
                case UNKNOWN_PEER -> Kind.REFUSED;
                case CLOSED, LOST -> Kind.UNREACHABLE;
                default -> kind;
            };
            assertFails(() -> connect(Clients.client(SECRET), server.peer()))
                    .returns(expected, ConnectionException::kind)
                    .extracting(Throwable::getMessage)
                    .asString()
                    .contains("'peer'", "No, because of reasons");
        }
    }

    @Test
    void whenAPeerIsRemoteAndWithoutTlsThenNothingIsSent() {
        Peer peer = new Peer("ranker", URI.create("http://192.0.2.1:9"));
        assertFails(() -> Clients.client(SECRET).node(peer, LONG))
                .returns(Kind.REFUSED, ConnectionException::kind)
                .extracting(Throwable::getMessage)
                .asString()
                .contains("fabric.security.allow-plaintext", "ranker");
    }

    @Test
    void whenNobodyListensThenThePeerIsUnreachable() throws Exception {
        Peer peer;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            peer = new Peer("ranker", URI.create("http://127.0.0.1:" + free.getLocalPort()));
        }
        assertFails(() -> Clients.client().node(peer, LONG)).returns(Kind.UNREACHABLE, ConnectionException::kind);
        Peer nowhere = new Peer("ranker", URI.create("http://no-such-host.invalid:1"));
        assertFails(() -> Clients.client("fabric.security.allow-plaintext=true").node(nowhere, LONG))
                .returns(Kind.UNREACHABLE, ConnectionException::kind)
                .extracting(Throwable::getMessage)
                .asString()
                .contains("ranker", "no-such-host");
    }

    @Test
    void whenAPeerNeverAnswersThenTheCallEndsInTime() throws Exception {
        assertEndsInTime("");
    }

    @Test
    void whenAPeerTricklesItsAnswerThenTheCallEndsInTime() throws Exception {
        assertEndsInTime("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
    }

    private static void assertEndsInTime(String head) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread trickle = new Thread(() -> trickle(server, head));
            trickle.setDaemon(true);
            trickle.start();
            Peer peer = new Peer("ranker", URI.create("http://127.0.0.1:" + server.getLocalPort()));
            long before = System.nanoTime();
            assertFails(() -> Clients.client().node(peer, Duration.ofMillis(700)))
                    .returns(Kind.UNREACHABLE, ConnectionException::kind);
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(4));
        }
    }

    private static void trickle(ServerSocket server, String head) {
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            for (int count = 0; count < 200; count++) {
                if (!head.isEmpty()) {
                    socket.getOutputStream().write(' ');
                }
                Thread.sleep(50);
            }
        } catch (Exception expected) {
            // The client went away.
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/x\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
                "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nnull",
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n"
            })
    void whenSomethingElseAnswersThenItIsRefused(String answer) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> answerOnce(server, answer));
            thread.setDaemon(true);
            thread.start();
            Peer peer = new Peer("ranker", URI.create("http://127.0.0.1:" + server.getLocalPort()));
            assertFails(() -> Clients.client().node(peer, LONG)).returns(Kind.REFUSED, ConnectionException::kind);
        }
    }

    private static void answerOnce(ServerSocket server, String answer) {
        try (Socket socket = server.accept()) {
            socket.getInputStream().read(new byte[8192]);
            socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            if (answer.contains("999999999")) {
                byte[] junk = new byte[8192];
                for (int count = 0; count < 10_000; count++) {
                    socket.getOutputStream().write(junk);
                }
            }
        } catch (Exception expected) {
            // The client went away.
        }
    }

    @Test
    void whenAPeerRefusesThenItStaysAskable() {
        try (NegotiationServer server = NegotiationServer.start("responder")) {
            server.handler.failure = new ConnectionException(Kind.REFUSED, "caller", "No");
            NegotiationClient client = Clients.client();
            for (int count = 0; count < 20; count++) {
                assertFails(() -> connect(client, server.peer())).returns(Kind.REFUSED, ConnectionException::kind);
            }
            assertThat(server.handler.calls).hasSize(20);
        }
    }
}

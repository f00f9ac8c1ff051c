package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionException.Kind;
import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Without a secret: loopback callers reach the parser, so its limits are what protects the node. */
class NegotiationLimitsTest {

    private static final String VALID = new String(
            new NegotiationJson().write(FakeNegotiationHandler.request(Clients.SELF)), StandardCharsets.UTF_8);

    private static NegotiationServer server;

    @BeforeAll
    static void start() {
        server = NegotiationServer.start(
                "responder", "fabric.negotiation.body-timeout=2s", "server.tomcat.threads.max=8");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.handler.calls.clear();
        server.handler.failure = null;
    }

    private static HttpResponse<String> post(String body) throws Exception {
        return RawCalls.unsigned("POST", "/connections", body).send(server.uri());
    }

    private static void assertMalformed(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.body()).contains("MALFORMED").doesNotContain("tensorfabric.", "jackson", "Exception");
        assertThat(server.handler.calls).isEmpty();
    }

    @Test
    void whenTheBodyIsRightThenItIsAnswered() throws Exception {
        HttpResponse<String> answer = post(VALID);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(server.handler.calls).hasSize(1);
    }

    @Test
    void whenANewerPeerAddsFieldsThenTheyAreIgnored() throws Exception {
        assertThat(post(VALID.replaceFirst("\\{", "{\"later\":{\"x\":[1]},")).statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "42",
                "{",
                "{}",
                "{\"protocolVersion\":1}",
                "not json",
                "{\"protocolVersion\":\"1\"}",
                "\"text\"",
                "{\"a\":1,\"a\":2}"
            })
    void whenTheBodyIsNonsenseThenItIsRefused(String body) throws Exception {
        assertMalformed(RawCalls.unsigned("POST", "/connections", body)
                .with("Content-Type", "application/json")
                .send(server.uri()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"protocolVersion\":1 | \"protocolVersion\":\"1\"",
                "\"protocolVersion\":1 | \"protocolVersion\":1.5",
                "\"protocolVersion\":1 | \"protocolVersion\":1.0",
                "\"protocolVersion\":1 | \"protocolVersion\":true",
                "\"protocolVersion\":1 | \"protocolVersion\":null",
                "\"protocolVersion\":1 | \"protocolVersion\":2147483648",
                "\"protocolVersion\":1 | \"protocolVersion\":1e400",
                "\"protocolVersion\":1 | \"other\":1",
                "\"provider\":\"soft\" | \"provider\":5",
                "\"provider\":\"soft\" | \"provider\":null",
                "\"provider\":\"soft\" | \"provider\":[\"soft\"]",
                "\"provider\":\"soft\" | \"provider\":\"soft\",\"provider\":\"soft\"",
                "\"CONTROL\" | 0",
                "\"CONTROL\" | \"control\"",
                "\"qpn\":17 | \"qpn\":\"17\"",
                "\"lanes\":[ | \"lanes\":[null,"
            })
    void whenAFieldDoesNotFitThenItIsRefused(String good, String bad) throws Exception {
        assertThat(VALID).contains(good);
        assertMalformed(post(VALID.replace(good, bad)));
    }

    @Test
    void whenTextFollowsThenItIsRefused() throws Exception {
        assertMalformed(post(VALID + " {}"));
        assertMalformed(post(VALID + "x"));
    }

    @Test
    void whenTheJsonIsDeepOrLongThenItIsRefused() throws Exception {
        assertMalformed(post("[".repeat(5_000)));
        assertMalformed(post("{\"a\":".repeat(5_000)));
        assertMalformed(post(VALID.replaceFirst("\\{", "{\"later\":" + "[".repeat(100) + "]".repeat(100) + ",")));
        assertMalformed(post(VALID.replace("\"soft\"", "\"" + "s".repeat(100_000) + "\"")));
        assertMalformed(post(VALID.replace("\"qpn\":17", "\"qpn\":" + "9".repeat(10_000))));
        String lane = VALID.substring(VALID.indexOf("\"lanes\":[") + 9, VALID.lastIndexOf(']'));
        assertMalformed(post(VALID.replace(lane, (lane + ",").repeat(1_024) + lane)));
    }

    @Test
    void whenTheBodyIsTooLargeThenItIsRefusedBeforeItIsRead() throws Exception {
        String head = "POST /fabric/v1/connections HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        String declared = RawCalls.socket(
                server.port(), (head + "Content-Length: 100000000\r\n\r\n{").getBytes(), Duration.ofSeconds(5));
        assertThat(declared)
                .startsWith("HTTP/1.1 413")
                .contains("application/problem+json")
                .doesNotContain("stays open");
        String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
        String chunked = RawCalls.socket(
                server.port(),
                (head + "Transfer-Encoding: chunked\r\n\r\n" + chunk.repeat(5)).getBytes(),
                Duration.ofSeconds(5));
        assertThat(chunked).startsWith("HTTP/1.1 413").doesNotContain("stays open");
        assertThat(server.handler.calls).isEmpty();
    }

    @Test
    void whenManyBodiesTrickleThenGoodCallsAreStillAnsweredAndTheSlowOnesEnd() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int count = 0; count < 100; count++) {
                Socket socket = new Socket("127.0.0.1", server.port());
                slow.add(socket);
                socket.setSoTimeout(30_000);
                socket.getOutputStream()
                        .write(("POST /fabric/v1/connections HTTP/1.1\r\nHost: localhost\r\n"
                                        + "Content-Type: application/json\r\nContent-Length: 3000\r\n\r\n{\"a\": \"a\"")
                                .getBytes());
            }
            long before = System.nanoTime();
            assertThat(post(VALID).statusCode()).isEqualTo(200);
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
            for (Socket socket : slow) {
                assertThat(endOf(socket)).startsWith("HTTP/1.1 408");
            }
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    /** Trickles a byte whenever nothing comes for a moment, until the server ends the connection. */
    private static String endOf(Socket socket) throws Exception {
        socket.setSoTimeout(200);
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (System.nanoTime() < deadline) {
            try {
                int next = socket.getInputStream().read();
                if (next < 0) {
                    return received.toString(StandardCharsets.ISO_8859_1);
                }
                received.write(next);
            } catch (SocketTimeoutException expected) {
                socket.getOutputStream().write('b');
            }
        }
        return "still open: " + received.toString(StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/x-java-serialized-object", "application/octet-stream", "text/plain"})
    void whenAJavaObjectIsSentThenItIsRefused(String type) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
            objects.writeObject(new HashMap<>(Map.of("a", 1)));
        }
        RawCalls.Recorded call = RawCalls.unsigned("POST", "/connections", "x").withBody(bytes.toByteArray());
        assertThat(call.with("Content-Type", type).send(server.uri()).statusCode())
                .isEqualTo(415);
        assertMalformed(
                call.with("Content-Type", "application/json; charset=utf-8").send(server.uri()));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whenTheNodeRefusesThenTheStatusTellsWhy(Kind kind) throws Exception {
        server.handler.failure = new ConnectionException(kind, "caller", "No, because of " + kind);
        HttpResponse<String> answer = post(VALID);
        int status = switch (kind) {
            case MALFORMED -> 400;
            case UNKNOWN_PEER, REFUSED -> 403;
            case NOT_FOUND, NOT_PUBLISHED -> 404;
            case CONFLICT -> 409;
            case LIMIT -> 429;
            case UNREACHABLE, LOST, CLOSED -> 503;
        };
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.body()).contains("No, because of " + kind, "\"kind\":\"" + kind + "\"");
        assertThat(answer.headers().firstValue("Retry-After").isPresent()).isEqualTo(status == 503 || status == 429);
    }

    @Test
    void whenTheNodeFailsUnexpectedlyThenThePeerLearnsNothingOfTheInside() throws Exception {
        server.handler.failure = new IllegalStateException("inner secret");
        HttpResponse<String> answer = post(VALID);
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).contains("reference").doesNotContain("inner", "IllegalState");
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /connections, 405",
        "POST, /node, 405",
        "GET, /connections/a/zones, 405",
        "GET, /nowhere, 404",
        "GET, '', 404",
        "GET, /node?x=1, 400",
        "DELETE, /connections/a_b, 404"
    })
    void whenThePathOrMethodIsWrongThenItIsSaid(String method, String path, int status) throws Exception {
        assertThat(RawCalls.unsigned(method, path, "").send(server.uri()).statusCode())
                .isEqualTo(status);
        assertThat(server.handler.calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Forwarded-For", "Forwarded", "X-Real-IP"})
    void whenACallWasForwardedThenItDoesNotCountAsLocal(String header) throws Exception {
        HttpResponse<String> answer =
                RawCalls.unsigned("GET", "/node", "").with(header, "127.0.0.1").send(server.uri());
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).doesNotContain("responder", "soft0");
    }
}

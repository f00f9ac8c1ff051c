package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorfabric.autoconfigure.negotiation.RawCalls.Recorded;
import io.tensorfabric.connection.NodeIdentity;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NegotiationAuthenticationTest {

    private static final String SECRET_PROPERTY = "fabric.security.shared-secret=" + RawCalls.SECRET;

    private static final String ID = "0b1e5a2c-0000-4000-8000-000000000001";

    private static NegotiationServer server;

    private static NegotiationServer other;

    @BeforeAll
    static void start() {
        server = NegotiationServer.start("responder", SECRET_PROPERTY);
        other = NegotiationServer.start("other", SECRET_PROPERTY);
    }

    @AfterAll
    static void stop() {
        server.close();
        other.close();
    }

    @BeforeEach
    void forget() {
        server.handler.calls.clear();
        other.handler.calls.clear();
        server.handler.identity = new NodeIdentity("responder", "responder-start-1");
    }

    private static Recorded connect() {
        return connect(System.currentTimeMillis());
    }

    private static Recorded connect(long time) {
        byte[] body = new NegotiationJson().write(FakeNegotiationHandler.request(Clients.SELF));
        return signed("POST", "/connections", body, time);
    }

    private static Recorded signed(String method, String path, byte[] body, long time) {
        return RawCalls.signed(RawCalls.SECRET, method, path, body, "caller", "responder/responder-start-1", time);
    }

    private static void assertRefused(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.body()).doesNotContain("rkey", "io.tensorfabric", RawCalls.SECRET);
    }

    @Test
    void whenSignedThenTheCallIsAnsweredAndTheAnswerIsSigned() throws Exception {
        Recorded call = connect();
        HttpResponse<String> answer = call.send(server.uri());
        assertThat(answer.statusCode()).isEqualTo(200);
        String expected = new MessageSigner(RawCalls.SECRET)
                .sign(
                        call.headers().get("Fabric-Nonce"),
                        200,
                        "responder",
                        answer.body().getBytes());
        assertThat(answer.headers().firstValue("Fabric-Signature")).hasValue(expected);
        assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(server.handler.calls).containsExactly("connect " + ID);
    }

    @Test
    void whenACallIsSentAgainThenItIsRefused() throws Exception {
        List<Recorded> calls = List.of(
                connect(),
                signed("DELETE", "/connections/" + ID, new byte[0], System.currentTimeMillis()),
                signed("GET", "/node", new byte[0], System.currentTimeMillis()));
        for (Recorded call : calls) {
            assertThat(call.send(server.uri()).statusCode()).isLessThan(300);
            assertRefused(call.send(server.uri()), 401);
        }
        assertThat(server.handler.calls).hasSize(2);
    }

    private static Recorded whoIsThere(String target) {
        return RawCalls.signed(
                RawCalls.SECRET, "GET", "/node", new byte[0], "caller", target, System.currentTimeMillis());
    }

    private static String challenge(NegotiationServer from) throws Exception {
        HttpResponse<String> answer = whoIsThere("-").send(from.uri());
        assertRefused(answer, 401);
        assertThat(answer.body()).doesNotContain(from.handler.identity.nodeId(), "soft0");
        return new NegotiationJson()
                .read(answer.body().getBytes(), ProblemDetails.class)
                .challenge();
    }

    @Test
    void whenACallerDoesNotKnowWhoIsHereThenItMustSignThisNodesChallenge() throws Exception {
        Recorded call = whoIsThere("?" + challenge(server));
        assertThat(call.send(server.uri()).statusCode()).isEqualTo(200);
        assertRefused(call.send(server.uri()), 401);
        assertRefused(call.send(other.uri()), 401);
        assertRefused(whoIsThere("?" + challenge(other)).send(server.uri()), 401);
        assertRefused(whoIsThere("?").send(server.uri()), 401);
        assertRefused(whoIsThere("?1." + "A".repeat(43)).send(server.uri()), 401);
    }

    @Test
    void whenAnotherNodeOrAnotherCallAnswersAChallengeThenItIsRefused() throws Exception {
        String challenge = "?" + challenge(server);
        assertRefused(
                RawCalls.signed(
                                RawCalls.SECRET,
                                "GET",
                                "/node",
                                new byte[0],
                                "somebody",
                                challenge,
                                System.currentTimeMillis())
                        .send(server.uri()),
                401);
        assertRefused(
                RawCalls.signed(
                                RawCalls.SECRET,
                                "DELETE",
                                "/connections/" + ID,
                                new byte[0],
                                "caller",
                                challenge,
                                System.currentTimeMillis())
                        .send(server.uri()),
                401);
        assertThat(server.handler.calls).isEmpty();
    }

    @Test
    void whenAChallengeIsOldThenItIsNotTaken() {
        Challenges challenges = new Challenges(1000);
        String challenge = challenges.issue("caller", 5000);
        assertThat(challenges.isMine(challenge, "caller", 6000)).isTrue();
        assertThat(challenges.isMine(challenge, "caller", 6001)).isFalse();
        assertThat(challenges.isMine(challenge, "caller", 4999)).isFalse();
    }

    @Test
    void whenACallIsOldOrEarlyThenItIsRefused() throws Exception {
        assertRefused(connect(System.currentTimeMillis() - 300_000).send(server.uri()), 401);
        assertRefused(connect(System.currentTimeMillis() + 300_000).send(server.uri()), 401);
        assertThat(server.handler.calls).isEmpty();
    }

    @Test
    void whenACallIsSentToAnotherNodeThenItIsRefused() throws Exception {
        assertRefused(connect().send(other.uri()), 401);
        assertThat(other.handler.calls).isEmpty();
    }

    @Test
    void whenTheNodeRestartedThenCallsToItsEarlierStartAreRefused() throws Exception {
        server.handler.identity = new NodeIdentity("responder", "responder-start-2");
        assertRefused(connect().send(server.uri()), 401);
        assertThat(server.handler.calls).isEmpty();
    }

    @Test
    void whenAnyByteOfTheBodyChangesThenItIsRefused() throws Exception {
        Recorded call = connect();
        byte[] body = call.body().clone();
        body[body.length / 2] ^= 1;
        assertRefused(call.withBody(body).send(server.uri()), 401);
        assertThat(server.handler.calls).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Fabric-Node, someone",
        "Fabric-Target, other/other-start-1",
        "Fabric-Target, -",
        "Fabric-Timestamp, 1",
        "Fabric-Timestamp, x",
        "Fabric-Nonce, 0123456789012345",
        "Fabric-Nonce, short",
        "Fabric-Signature, AAAA"
    })
    void whenAHeaderChangesThenItIsRefused(String header, String value) throws Exception {
        assertRefused(connect().with(header, value).send(server.uri()), 401);
        assertThat(server.handler.calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Fabric-Node", "Fabric-Target", "Fabric-Timestamp", "Fabric-Nonce", "Fabric-Signature"})
    void whenAHeaderIsMissingThenItIsRefused(String header) throws Exception {
        assertRefused(connect().without(header).send(server.uri()), 401);
        assertThat(server.handler.calls).isEmpty();
    }

    @Test
    void whenThePathChangesThenItIsRefused() throws Exception {
        Recorded close = signed("DELETE", "/connections/" + ID, new byte[0], System.currentTimeMillis());
        assertRefused(close.withPath("/connections/" + ID.replace('1', '2')).send(server.uri()), 401);
        assertThat(server.handler.calls).isEmpty();
    }

    @Test
    void whenTheSecretIsAnothersThenItIsRefusedAndTheAnswerIsNotSigned() throws Exception {
        byte[] body = new NegotiationJson().write(FakeNegotiationHandler.request(Clients.SELF));
        HttpResponse<String> answer = RawCalls.signed(
                        "the secret of another tenant",
                        "POST",
                        "/connections",
                        body,
                        "caller",
                        "responder/responder-start-1",
                        System.currentTimeMillis())
                .send(server.uri());
        assertRefused(answer, 401);
        assertThat(answer.headers().firstValue("Fabric-Signature")).isEmpty();
    }

    @Test
    void whenTheBodyNamesAnotherNodeThanTheSignerThenItIsRefused() throws Exception {
        byte[] body = new NegotiationJson().write(FakeNegotiationHandler.request(new NodeIdentity("victim", "1")));
        assertRefused(
                signed("POST", "/connections", body, System.currentTimeMillis()).send(server.uri()), 403);
        assertThat(server.handler.calls).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /node",
        "GET, /",
        "GET, /connections",
        "GET, /connections/x",
        "POST, /connections/x/zones",
        "POST, /connections/x/established",
        "DELETE, /connections/x",
        "GET, /../actuator",
        "TRACE, /node"
    })
    void whenNothingIsSignedThenNoPathAnswers(String method, String path) throws Exception {
        HttpResponse<String> answer = RawCalls.unsigned(method, path, "").send(server.uri());
        assertThat(answer.statusCode()).isIn(401, 404, 405);
        assertThat(answer.body()).doesNotContain("responder", "soft0");
        assertThat(server.handler.calls).isEmpty();
    }

    private static Optional<InetAddress> remoteAddress() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .findFirst();
    }

    @Test
    void whenThereIsNoSecretThenANodeOnAllAddressesAnswersThisMachineOnly() throws Exception {
        Optional<InetAddress> address = remoteAddress();
        assumeTrue(address.isPresent(), "this machine has loopback addresses only");
        try (NegotiationServer open = NegotiationServer.start("open", "server.address=0.0.0.0")) {
            URI remote = URI.create("http://" + address.orElseThrow().getHostAddress() + ":" + open.port());
            String body = new String(new NegotiationJson().write(FakeNegotiationHandler.request(Clients.SELF)));
            assertRefused(RawCalls.unsigned("GET", "/node", "").send(remote), 403);
            assertRefused(RawCalls.unsigned("POST", "/connections", body).send(remote), 403);
            assertRefused(RawCalls.unsigned("DELETE", "/connections/" + ID, "").send(remote), 403);
            assertThat(open.handler.calls).isEmpty();
            assertThat(RawCalls.unsigned("GET", "/node", "").send(open.uri()).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void whenAWebPageCallsThenItIsRefused() throws Exception {
        assertRefused(connect().with("Origin", "https://evil.example").send(server.uri()), 403);
        assertThat(server.handler.calls).isEmpty();
    }
}

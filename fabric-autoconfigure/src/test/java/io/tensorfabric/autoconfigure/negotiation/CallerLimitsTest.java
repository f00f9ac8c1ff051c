package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionException.Kind;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallerLimitsTest {

    private static String body(String connectionId) {
        ConnectRequest request = FakeNegotiationHandler.request(Clients.SELF);
        return new String(new NegotiationJson()
                .write(new ConnectRequest(
                        1, connectionId, request.initiator(), request.provider(), request.path(), request.lanes())));
    }

    private static HttpResponse<String> connect(NegotiationServer server, String connectionId, String node)
            throws Exception {
        return RawCalls.unsigned("POST", "/connections", body(connectionId))
                .with("Fabric-Node", node)
                .send(server.uri());
    }

    private static void assertLimited(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    }

    /** Answers no connect before it may. */
    private static final class Slow extends FakeNegotiationHandler {

        final CountDownLatch began = new CountDownLatch(2);

        final CountDownLatch mayEnd = new CountDownLatch(1);

        Slow() {
            super("responder");
        }

        @Override
        public ConnectResponse connect(ConnectRequest request) {
            began.countDown();
            try {
                assertThat(mayEnd.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return super.connect(request);
        }
    }

    @Test
    void whenACallerHasTooManyCallsUnderWayThenItGets429AndOthersAreAnswered() throws Exception {
        Slow handler = new Slow();
        try (NegotiationServer server = NegotiationServer.start(handler, "fabric.negotiation.max-calls-per-peer=2")) {
            List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                slow.add(CompletableFuture.supplyAsync(() -> {
                    try {
                        return connect(server, UUID.randomUUID().toString(), "caller");
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }));
            }
            assertThat(handler.began.await(20, TimeUnit.SECONDS)).isTrue();
            assertLimited(RawCalls.unsigned("GET", "/node", "")
                    .with("Fabric-Node", "caller")
                    .send(server.uri()));
            assertThat(RawCalls.unsigned("GET", "/node", "")
                            .with("Fabric-Node", "another")
                            .send(server.uri())
                            .statusCode())
                    .isEqualTo(200);
            handler.mayEnd.countDown();
            for (CompletableFuture<HttpResponse<String>> each : slow) {
                assertThat(each.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
            }
            assertThat(RawCalls.unsigned("GET", "/node", "")
                            .with("Fabric-Node", "caller")
                            .send(server.uri())
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void whenAnAddressHasTooManyConnectionsThenItGets429UntilOneIsGone() throws Exception {
        try (NegotiationServer server =
                NegotiationServer.start("responder", "fabric.negotiation.max-connections-per-address=2")) {
            List<String> ids = List.of(
                    UUID.randomUUID().toString(),
                    UUID.randomUUID().toString(),
                    UUID.randomUUID().toString());
            assertThat(connect(server, ids.get(0), "caller").statusCode()).isEqualTo(200);
            server.handler.failure = new ConnectionException(Kind.CONFLICT, "caller", "not now");
            assertThat(connect(server, ids.get(1), "caller").statusCode()).isEqualTo(409);
            server.handler.failure = null;
            assertThat(connect(server, ids.get(1), "caller").statusCode()).isEqualTo(200);
            assertThat(connect(server, ids.get(1), "caller").statusCode()).isEqualTo(200);
            assertLimited(connect(server, ids.get(2), "caller"));
            assertThat(server.handler.calls).noneMatch(call -> call.contains(ids.get(2)));
            server.limits().closed(ids.get(0));
            assertThat(connect(server, ids.get(2), "caller").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void whenTheConnectionsOfAnAddressTookTheirShareOfThePoolThenItGets429AndWhoGetsNoZoneDoesNot() throws Exception {
        // Half of the pool is room for two.
        try (NegotiationServer server = NegotiationServer.start(
                "responder", "fabric.memory.host.max-size=256MB", "fabric.landing.zone-size=64MB")) {
            for (int i = 0; i < 2; i++) {
                assertThat(connect(server, "with-zone-" + i, "caller").statusCode())
                        .isEqualTo(200);
            }
            HttpResponse<String> third = connect(server, "with-zone-2", "caller");
            assertLimited(third);
            assertThat(third.body()).contains("fabric.landing.max-size-per-address", "\"kind\":\"LIMIT\"");
            assertThat(server.handler.calls).noneMatch(call -> call.contains("with-zone-2"));
            server.limits().closed("with-zone-0");
            assertThat(connect(server, "with-zone-2", "caller").statusCode()).isEqualTo(200);
            server.limits().closed("with-zone-1");
            server.handler.zones = List.of();
            for (int i = 0; i < 4; i++) {
                assertThat(connect(server, "without-zone-" + i, "caller").statusCode())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void whenALimitIsReachedThenOtherCallersAndAddressesHaveTheirs() {
        CallerLimits limits = new CallerLimits(1, 1, 1);
        limits.begin("a");
        limits.begin("b");
        assertThatThrownBy(() -> limits.begin("a")).isInstanceOf(NegotiationProblem.class);
        limits.end("a");
        limits.begin("a");
        limits.opening("1", "10.0.0.1");
        limits.opening("2", "10.0.0.2");
        assertThatThrownBy(() -> limits.opening("3", "10.0.0.1")).isInstanceOf(NegotiationProblem.class);
        limits.closed("unknown");
        limits.closed("1");
        limits.closed("1");
        limits.opening("3", "10.0.0.1");
    }
}

package io.tensorfabric.autoconfigure.negotiation;

import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.tensorfabric.autoconfigure.ResilienceProperties;
import io.tensorfabric.autoconfigure.negotiation.NegotiationTransport.Reply;
import io.tensorfabric.autoconfigure.resilience.NegotiationRates;
import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.EstablishedRequest;
import io.tensorfabric.connection.EstablishedResponse;
import io.tensorfabric.connection.NegotiationHandler;
import io.tensorfabric.connection.NodeDescription;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.connection.ZoneRequest;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.TestNode;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Fuzz target: bodies of the negotiation. Calls go to a real node on the software device; whatever comes is answered or
 * refused in words, never by an unexpected failure, and leaves nothing behind. Answers and problem details are read as the
 * calling end reads them.
 */
public final class NegotiationFuzz {

    private static final String ID = "0b1e5a2c-0000-4000-8000-000000000001";

    private static final Set<Integer> STATUSES = Set.of(200, 204, 400, 403, 404, 409, 429, 503);

    private static final Peer PEER = new Peer("peer", URI.create("http://127.0.0.1:1"));

    private static final NegotiationFuzz TARGET = new NegotiationFuzz();

    private final AtomicLong connected = new AtomicLong();

    private final NegotiationJson json = new NegotiationJson();

    private final TestNode node =
            TestNode.builder("responder", new LocalNetwork()).start();

    private final CallerLimits limits = new CallerLimits(16, 64, 64);

    private final NegotiationService service;

    private NegotiationFuzz() {
        var security = Clients.properties().security();
        service = new NegotiationService(
                new CallerPolicy(security),
                new RequestAuthenticator(security, Clock.systemUTC()),
                null,
                limits,
                new NegotiationRates(
                        RateLimiterRegistry.ofDefaults(),
                        new ResilienceProperties.RateLimiter(1_000_000, Duration.ofSeconds(1))),
                new Undoing(),
                json);
    }

    /** Loads what the first call needs, which would be too slow for an input; called by the fuzzer by name. */
    public static void fuzzerInitialize() {
        fuzzerTestOneInput(new byte[] {0, '{', '}'});
    }

    /** How many inputs made a connection. */
    static long connected() {
        return TARGET.connected.get();
    }

    /** Runs one input, whose first byte chooses what it is; called by the fuzzer by name. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        byte[] body = new byte[data.length - 1];
        System.arraycopy(data, 1, body, 0, body.length);
        switch (data[0] & 7) {
            case 0 -> TARGET.call("/connections", body);
            case 1 -> TARGET.call("/connections/" + ID + "/established", body);
            case 2 -> TARGET.call("/connections/" + ID + "/zones", body);
            case 3 -> TARGET.call("/" + new String(body, StandardCharsets.ISO_8859_1), body);
            case 4 -> TARGET.read(body, ConnectResponse.class);
            case 5 -> TARGET.read(body, EstablishedResponse.class);
            case 6 -> TARGET.read(body, NodeDescription.class);
            default -> TARGET.problem(body);
        }
    }

    private void call(String path, byte[] body) {
        Call call = new Call(
                "POST",
                path,
                null,
                body,
                name -> name.equals("Content-Type") ? "application/json" : null,
                new Call.Caller("127.0.0.1", true, false, null));
        Answer answer = service.answer(call);
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        // 405 is for paths that other methods have.
        if (!STATUSES.contains(answer.status()) && answer.status() != 405) {
            throw new IllegalStateException("Answered with " + answer.status() + ": " + text);
        }
        // A refusal may repeat a little of the input.
        String said = new String(body, StandardCharsets.ISO_8859_1);
        if (answer.status() >= 400 && !said.contains("tensorfab") && text.contains("io.tensorfabric")) {
            throw new IllegalStateException("A refusal tells of the inside: " + text);
        }
        if (!node.manager().connections().isEmpty()) {
            throw new IllegalStateException("Something was left behind by " + answer.status() + ": " + text);
        }
    }

    private <T extends Record> void read(byte[] body, Class<T> type) {
        try {
            T value = json.read(body, type);
            if (!json.read(json.write(value), type).equals(value)) {
                throw new IllegalStateException("What was written is read differently");
            }
        } catch (NegotiationProblem refused) {
            if (refused.status() != 400) {
                throw refused;
            }
        } catch (NullPointerException e) {
            throw new IllegalStateException("Something missing was taken", e);
        }
    }

    private void problem(byte[] body) {
        Reply reply = new Reply(401, body, Map.of("Content-Type", ProblemDetails.MEDIA_TYPE)::get);
        AnswerFailures failures = new AnswerFailures(json);
        failures.challenge(reply);
        String words = failures.translate(PEER, reply, false).getMessage();
        if (words.chars().anyMatch(Character::isISOControl) || words.length() > 2000) {
            throw new IllegalStateException("A peer's words would spoil the log");
        }
    }

    /** The node; what an input opened is closed again at once. */
    private final class Undoing implements NegotiationHandler {

        @Override
        public NodeDescription node() {
            return node.manager().node();
        }

        @Override
        public ConnectResponse connect(ConnectRequest request) {
            ConnectResponse response = node.manager().connect(request);
            connected.incrementAndGet();
            node.manager().close(response.connectionId(), request.initiator().nodeId());
            limits.closed(response.connectionId());
            awaitNothing();
            return response;
        }

        @Override
        public EstablishedResponse established(String connectionId, EstablishedRequest request) {
            return node.manager().established(connectionId, request);
        }

        @Override
        public ZoneGrant openZone(String connectionId, ZoneRequest request) {
            return node.manager().openZone(connectionId, request);
        }

        @Override
        public void close(String connectionId, String nodeId) {
            node.manager().close(connectionId, nodeId);
        }

        private void awaitNothing() {
            long end = System.nanoTime() + 5_000_000_000L;
            while (!node.manager().connections().isEmpty()) {
                if (System.nanoTime() - end > 0) {
                    throw new ConnectionException(ConnectionException.Kind.CLOSED, "test", "not gone in time");
                }
                Thread.onSpinWait();
            }
        }
    }
}

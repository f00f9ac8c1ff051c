package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.negotiation.MessageSigner.RequestSeal;
import io.tensorfabric.autoconfigure.negotiation.NegotiationTransport.Reply;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.Peer;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;

/**
 * Signs calls, binds them to the node and the start of it that they are meant for, and believes only answers that the same
 * node signed. Without a secret it passes calls through. Thread-safe.
 */
final class SealedExchange {

    private static final byte[] EMPTY = new byte[0];

    private final NegotiationTransport transport;

    private final AnswerFailures failures;

    private final @Nullable MessageSigner signer;

    private final NodeIdentity self;

    private final Clock clock;

    /** Who answered under a URL, learned from signed answers. */
    private final Map<Peer, NodeIdentity> targets = new ConcurrentHashMap<>();

    SealedExchange(
            NegotiationTransport transport,
            AnswerFailures failures,
            @Nullable MessageSigner signer,
            NodeIdentity self,
            Clock clock) {
        this.transport = transport;
        this.failures = failures;
        this.signer = signer;
        this.self = self;
        this.clock = clock;
    }

    boolean needsTarget(Peer peer) {
        return signer != null && !targets.containsKey(peer);
    }

    void learn(Peer peer, NodeIdentity identity) {
        targets.put(peer, identity);
    }

    /**
     * Calls a peer and returns the body of its successful answer.
     *
     * @throws ConnectionException if there is no answer, a refusal, or one that is not the peer's
     */
    byte[] send(Peer peer, HttpMethod method, String path, byte @Nullable [] body, Duration timeout) {
        long start = System.nanoTime();
        try {
            return sendOnce(peer, method, path, body, timeout);
        } catch (BrokenOffException ex) {
            // A kept connection that the peer closed meanwhile; every call is idempotent, and signed anew.
            return sendOnce(peer, method, path, body, timeout.minusNanos(System.nanoTime() - start));
        }
    }

    private byte[] sendOnce(Peer peer, HttpMethod method, String path, byte @Nullable [] body, Duration timeout) {
        if (!path.equals("/node")) {
            NodeIdentity target = targets.get(peer);
            String name = target == null ? RequestSeal.ANY_TARGET : RequestAuthenticator.target(target);
            return believed(peer, exchange(peer, method, path, body, name, timeout), target);
        }
        long start = System.nanoTime();
        Exchanged asked = exchange(peer, method, path, body, RequestSeal.ANY_TARGET, timeout);
        String challenge = asked.trusted() ? failures.challenge(asked.reply()) : null;
        if (challenge == null) {
            return believed(peer, asked, null);
        }
        Duration left = timeout.minusNanos(System.nanoTime() - start);
        String name = RequestSeal.CHALLENGED_TARGET + challenge;
        return believed(peer, exchange(peer, method, path, body, name, left), null);
    }

    /** An answer, and whether a holder of the secret signed it or there is none. */
    private record Exchanged(Reply reply, boolean trusted) {}

    private Exchanged exchange(
            Peer peer, HttpMethod method, String path, byte @Nullable [] body, String target, Duration timeout) {
        RequestSeal seal =
                new RequestSeal(method.name(), path, clock.millis(), MessageSigner.nonce(), self.nodeId(), target);
        Reply reply = transport.send(peer, method, path, body, headers(seal, body == null ? EMPTY : body), timeout);
        return new Exchanged(reply, signer == null || isSigned(signer, seal, reply));
    }

    private byte[] believed(Peer peer, Exchanged exchanged, @Nullable NodeIdentity target) {
        Reply reply = exchanged.reply();
        if (reply.status() / 100 != 2) {
            throw refusal(peer, reply, exchanged.trusted());
        }
        if (!exchanged.trusted() || !isFrom(target, reply)) {
            throw new ConnectionException(
                    Kind.REFUSED,
                    peer.name(),
                    "The answer of peer '" + peer.name() + "' at " + peer.uri() + " does not prove that it is the peer:"
                            + " set the same 'fabric.security.shared-secret' on both and check the url");
        }
        return reply.body();
    }

    private ConnectionException refusal(Peer peer, Reply reply, boolean trusted) {
        ConnectionException failure = failures.translate(peer, reply, trusted);
        if (trusted && failure instanceof WrongTargetException) {
            targets.remove(peer);
        }
        return failure;
    }

    private Map<String, String> headers(RequestSeal seal, byte[] body) {
        if (signer == null) {
            return Map.of(NegotiationHeaders.NODE, seal.node());
        }
        return Map.of(
                NegotiationHeaders.NODE, seal.node(),
                NegotiationHeaders.TARGET, seal.target(),
                NegotiationHeaders.TIMESTAMP, Long.toString(seal.timestamp()),
                NegotiationHeaders.NONCE, seal.nonce(),
                NegotiationHeaders.SIGNATURE, signer.sign(seal, body));
    }

    private static boolean isSigned(MessageSigner signer, RequestSeal seal, Reply reply) {
        String expected =
                signer.sign(seal.nonce(), reply.status(), reply.header(NegotiationHeaders.NODE), reply.body());
        return MessageSigner.matches(expected, reply.header(NegotiationHeaders.SIGNATURE));
    }

    private boolean isFrom(@Nullable NodeIdentity target, Reply reply) {
        return signer == null || target == null || target.nodeId().equals(reply.header(NegotiationHeaders.NODE));
    }
}

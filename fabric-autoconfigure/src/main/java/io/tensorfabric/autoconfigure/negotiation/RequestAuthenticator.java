package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.autoconfigure.negotiation.MessageSigner.RequestSeal;
import io.tensorfabric.connection.NodeIdentity;
import java.time.Clock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks who calls: signature, clock, target, and that no call is used twice. In this order, so that only holders of the
 * secret can use up nonces or learn of the rest. Without a secret it lets calls pass, which {@link CallerPolicy} allows
 * on loopback only. Thread-safe.
 */
final class RequestAuthenticator {

    /** Code of a refusal after which the caller should ask anew who is here. */
    static final String WRONG_TARGET = "TARGET";

    /** Far above what peers send within a clock skew; one nonce takes about 200 bytes. */
    private static final int MAX_NONCES = 100_000;

    private static final Pattern NONCE = Pattern.compile("[A-Za-z0-9_-]{16,64}");

    private static final Pattern NODE = Pattern.compile("[\\x21-\\x7e]{1,256}");

    private static final Pattern TIMESTAMP = Pattern.compile("[0-9]{1,16}");

    private final @Nullable MessageSigner signer;

    private final long skewMillis;

    private final ReplayGuard guard;

    private final Challenges challenges;

    private final Clock clock;

    RequestAuthenticator(FabricProperties.Security security, Clock clock) {
        this.signer = security.sharedSecret() == null ? null : new MessageSigner(security.sharedSecret());
        this.skewMillis = security.clockSkew().toMillis();
        this.guard = new ReplayGuard(security.clockSkew(), MAX_NONCES);
        this.challenges = new Challenges(skewMillis);
        this.clock = clock;
    }

    /**
     * Checks a call's signature.
     *
     * @param self this node
     * @return the session, or {@code null} when there is no secret
     * @throws NegotiationProblem with status 401 if the caller does not hold the secret
     */
    @Nullable Session verify(Call call, NodeIdentity self) {
        if (signer == null) {
            return null;
        }
        RequestSeal seal = seal(call);
        if (!MessageSigner.matches(signer.sign(seal, call.body()), call.header(NegotiationHeaders.SIGNATURE))) {
            throw refused("SIGNATURE", "The call is not signed with this node's shared secret.");
        }
        return new Session(signer, seal, self);
    }

    /**
     * Checks that a signed call is meant for this node, now, and for the first time.
     *
     * @throws NegotiationProblem with status 401 if it is not
     */
    void requireFresh(Session session) {
        RequestSeal seal = session.seal();
        long now = clock.millis();
        if (Math.abs(now - seal.timestamp()) > skewMillis) {
            throw refused(
                    "CLOCK",
                    "The call's time differs from this node's by more than " + skewMillis
                            + " ms: synchronise the clocks or raise 'fabric.security.clock-skew' here.");
        }
        if (asksWho(seal, RequestSeal.ANY_TARGET)) {
            throw NegotiationProblem.challenge(challenges.issue(seal.node(), now));
        }
        if (!seal.target().equals(target(session.self())) && !answersChallenge(seal, now)) {
            throw refused(WRONG_TARGET, "The call is meant for another node or for an earlier start of this one.");
        }
        switch (guard.use(seal.node(), seal.nonce(), now)) {
            case REPLAYED -> throw refused("REPLAY", "The call was made before.");
            case FULL -> throw refused("BUSY", "Too many calls within the clock skew.");
            case FRESH -> {}
        }
    }

    private boolean answersChallenge(RequestSeal seal, long now) {
        return asksWho(seal, RequestSeal.CHALLENGED_TARGET)
                && challenges.isMine(seal.target().substring(RequestSeal.CHALLENGED_TARGET.length()), seal.node(), now);
    }

    /** A caller that does not know yet who is here may ask just that. */
    private static boolean asksWho(RequestSeal seal, String target) {
        return seal.target().startsWith(target)
                && seal.method().equals("GET")
                && seal.path().equals("/node");
    }

    private static RequestSeal seal(Call call) {
        String node = call.header(NegotiationHeaders.NODE);
        String nonce = call.header(NegotiationHeaders.NONCE);
        String timestamp = call.header(NegotiationHeaders.TIMESTAMP);
        String target = call.header(NegotiationHeaders.TARGET);
        if (!NODE.matcher(node).matches()
                || !NODE.matcher(target).matches()
                || !NONCE.matcher(nonce).matches()
                || !TIMESTAMP.matcher(timestamp).matches()) {
            throw refused("SIGNATURE", "The call is not signed: this node asks for a shared secret.");
        }
        return new RequestSeal(call.method(), call.path(), Long.parseLong(timestamp), nonce, node, target);
    }

    /** A node as requests name it. */
    static String target(NodeIdentity identity) {
        return identity.nodeId() + "/" + identity.incarnation();
    }

    private static NegotiationProblem refused(String code, String detail) {
        return new NegotiationProblem(401, code, detail);
    }

    /**
     * A call whose caller holds the secret.
     *
     * @param signer signs the answer
     * @param seal what the caller signed
     * @param self this node
     */
    record Session(MessageSigner signer, RequestSeal seal, NodeIdentity self) {

        String sign(int status, byte[] body) {
            return signer.sign(seal.nonce(), status, self.nodeId(), body);
        }
    }
}

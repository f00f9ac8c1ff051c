package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.negotiation.NegotiationTransport.Reply;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.connection.Peer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Turns a peer's refusal into an exception of the same kind, with the peer's own words. */
final class AnswerFailures {

    private final NegotiationJson json;

    AnswerFailures(NegotiationJson json) {
        this.json = json;
    }

    /**
     * The exception for an answer.
     *
     * @param trusted whether the answer is signed by a holder of the secret, or needs no signature
     */
    ConnectionException translate(Peer peer, Reply reply, boolean trusted) {
        ProblemDetails problem = problem(reply);
        String message = "Peer '" + peer.name() + "' at " + peer.uri() + " answered " + reply.status() + ": "
                + detail(problem, reply) + (trusted ? "" : " (the answer is not signed)");
        if (problem != null && RequestAuthenticator.WRONG_TARGET.equals(problem.kind())) {
            return new WrongTargetException(peer.name(), message);
        }
        Kind kind =
                problem == null ? kind(reply.status()) : kind(problem.kind()).orElse(kind(reply.status()));
        return new ConnectionException(kind, peer.name(), message);
    }

    /** The challenge that an answer brings, or {@code null}. */
    @Nullable String challenge(Reply reply) {
        ProblemDetails problem = reply.status() == 401 ? problem(reply) : null;
        return problem != null && NegotiationProblem.CHALLENGE.equals(problem.kind()) ? problem.challenge() : null;
    }

    private @Nullable ProblemDetails problem(Reply reply) {
        if (!reply.header("Content-Type").startsWith(ProblemDetails.MEDIA_TYPE)) {
            return null;
        }
        try {
            return json.read(reply.body(), ProblemDetails.class);
        } catch (NegotiationProblem ex) {
            return null;
        }
    }

    private static String detail(@Nullable ProblemDetails problem, Reply reply) {
        if (problem != null && problem.detail() != null) {
            return ProblemDetails.printable(problem.detail());
        }
        if (reply.status() == 404) {
            return "there is no negotiation; check the url and 'fabric.negotiation.path'";
        }
        byte[] start = Arrays.copyOf(reply.body(), Math.min(reply.body().length, 200));
        return "no problem detail, so that is probably no fabric node: "
                + ProblemDetails.printable(new String(start, StandardCharsets.UTF_8));
    }

    /** A peer's own view of a failure as it looks from here. */
    private static Optional<Kind> kind(@Nullable String name) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.name().equals(name))
                .map(kind -> switch (kind) {
                    case UNKNOWN_PEER -> Kind.REFUSED;
                    case CLOSED, LOST -> Kind.UNREACHABLE;
                    default -> kind;
                })
                .findFirst();
    }

    private static Kind kind(int status) {
        return switch (status) {
            case 400, 405, 413, 415 -> Kind.MALFORMED;
            case 409 -> Kind.CONFLICT;
            case 429 -> Kind.LIMIT;
            case 408, 500, 502, 503, 504 -> Kind.UNREACHABLE;
            default -> Kind.REFUSED;
        };
    }
}

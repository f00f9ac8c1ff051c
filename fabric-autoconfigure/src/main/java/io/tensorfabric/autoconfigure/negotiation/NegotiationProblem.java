package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.connection.ConnectionException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A call is refused: becomes a problem detail. Its detail is read by the caller, so it holds nothing secret. */
final class NegotiationProblem extends RuntimeException {

    private static final Map<String, String> NO_HEADERS = Map.of();

    /** Code of a refusal that brings a challenge. */
    static final String CHALLENGE = "CHALLENGE";

    private final int status;

    private final String code;

    private final Map<String, String> headers;

    private final @Nullable String challenge;

    /**
     * A refusal.
     *
     * @param status HTTP status
     * @param code short stable word for programs
     * @param detail sentence for the people at the other end
     */
    NegotiationProblem(int status, String code, String detail) {
        this(status, code, detail, NO_HEADERS);
    }

    NegotiationProblem(int status, String code, String detail, Map<String, String> headers) {
        this(status, code, detail, headers, null);
    }

    private NegotiationProblem(
            int status, String code, String detail, Map<String, String> headers, @Nullable String challenge) {
        super(detail, null, false, false);
        this.status = status;
        this.code = code;
        this.headers = headers;
        this.challenge = challenge;
    }

    /** The caller must show that it means this node. */
    static NegotiationProblem challenge(String challenge) {
        return new NegotiationProblem(
                401, CHALLENGE, "Sign the call again, for this challenge.", NO_HEADERS, challenge);
    }

    static NegotiationProblem malformed(String detail) {
        return new NegotiationProblem(400, ConnectionException.Kind.MALFORMED.name(), detail);
    }

    static NegotiationProblem tooLarge(long limit) {
        return new NegotiationProblem(
                413, "TOO_LARGE", "A negotiation body holds at most " + limit + " bytes here.", NO_HEADERS);
    }

    static NegotiationProblem of(ConnectionException failure) {
        String detail = failure.getMessage() == null ? "The node refused." : failure.getMessage();
        String code = failure.kind().name();
        return switch (failure.kind()) {
            case MALFORMED -> new NegotiationProblem(400, code, detail);
            case UNKNOWN_PEER, REFUSED -> new NegotiationProblem(403, code, detail);
            case NOT_FOUND, NOT_PUBLISHED -> new NegotiationProblem(404, code, detail);
            case CONFLICT -> new NegotiationProblem(409, code, detail);
            case LIMIT -> new NegotiationProblem(429, code, detail, Map.of("Retry-After", "1"));
            case UNREACHABLE, LOST, CLOSED -> new NegotiationProblem(503, code, detail, Map.of("Retry-After", "5"));
        };
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }

    String detail() {
        return String.valueOf(getMessage());
    }

    @Nullable String challenge() {
        return challenge;
    }

    Map<String, String> headers() {
        return headers;
    }
}

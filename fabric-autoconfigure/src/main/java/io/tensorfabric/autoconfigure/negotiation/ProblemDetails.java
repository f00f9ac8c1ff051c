package io.tensorfabric.autoconfigure.negotiation;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A problem detail (RFC 9457) with a {@code kind} that a program can act on.
 *
 * @param type URN of the problem
 * @param title short title
 * @param status HTTP status
 * @param detail sentence for people
 * @param kind stable word, mostly a {@link io.tensorfabric.connection.ConnectionException.Kind}
 * @param challenge what the caller must answer, absent for all but one kind
 */
record ProblemDetails(
        @Nullable String type,
        @Nullable String title,
        int status,
        @Nullable String detail,
        @Nullable String kind,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String challenge) {

    static final String MEDIA_TYPE = "application/problem+json";

    private static final int MAX_DETAIL = 1000;

    static ProblemDetails of(NegotiationProblem problem) {
        String words = problem.code().toLowerCase(Locale.ROOT).replace('_', ' ');
        return new ProblemDetails(
                "urn:tensorfabric:problem:" + words.replace(' ', '-'),
                Character.toUpperCase(words.charAt(0)) + words.substring(1),
                problem.status(),
                printable(problem.detail()),
                problem.code(),
                problem.challenge());
    }

    /** Text of a peer made fit for a log line: one line, bounded. */
    static String printable(String text) {
        String line = text.codePoints()
                .map(point ->
                        Character.isISOControl(point) || Character.getType(point) == Character.FORMAT ? ' ' : point)
                .limit(MAX_DETAIL)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return line.strip();
    }
}

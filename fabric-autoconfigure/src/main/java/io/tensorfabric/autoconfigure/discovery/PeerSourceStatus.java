package io.tensorfabric.autoconfigure.discovery;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a source answered.
 *
 * @param source what it is
 * @param peers names of the peers that it knew last
 * @param lastAnswer when it last answered, or {@code null} if it never did
 * @param lastFailure why the latest question was not answered, or {@code null} if it was
 */
public record PeerSourceStatus(
        String source,
        List<String> peers,
        @Nullable Instant lastAnswer,
        @Nullable String lastFailure) {}

package io.tensorfabric.connection;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a sender may ask a tensor to land, with the zone that this goes with.
 *
 * @param kinds kinds of memory, such as {@code host} and {@code cuda:0}
 * @param reason why there are no others: {@link #NO_GPU}, {@link #NO_CHOICE} or what later versions say; {@code null} if there
 *     is nothing to say
 * @param groups how much of groups of tensors that listeners hear of together may wait; {@code null} from nodes that know no
 *     groups
 */
public record LandingOffer(
        List<String> kinds,
        @Nullable String reason,
        @Nullable GroupOffer groups) {

    /** The node uses no GPU. */
    public static final String NO_GPU = "NO_GPU";

    /** The node does not let senders choose. */
    public static final String NO_CHOICE = "NO_CHOICE";

    /** Copies the list. */
    public LandingOffer {
        kinds = List.copyOf(kinds);
    }

    /** Without groups. */
    public LandingOffer(List<String> kinds, @Nullable String reason) {
        this(kinds, reason, null);
    }

    /** The same with groups. */
    public LandingOffer withGroups(GroupOffer value) {
        return new LandingOffer(kinds, reason, value);
    }
}

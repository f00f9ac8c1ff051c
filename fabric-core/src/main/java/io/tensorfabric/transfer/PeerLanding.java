package io.tensorfabric.transfer;

import io.tensorfabric.connection.LandingOffer;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.MemoryKind;
import org.jspecify.annotations.Nullable;

/**
 * Where tensors of this node land at the peer of a link, and what else may be asked for, as the zones tell that the peer
 * opened. Guarded by the lock of the link's sender.
 */
final class PeerLanding {

    private boolean known;

    private boolean inGpu;

    private @Nullable LandingOffer offer;

    /** The peer opened a zone. */
    void add(ZoneGrant grant) {
        known = true;
        inGpu |= ZoneKinds.isForGpu(grant.memoryKind());
        LandingOffer told = grant.landing();
        if (told != null) {
            offer = told;
        }
    }

    /** Whether the peer opened a zone. */
    boolean isKnown() {
        return known;
    }

    /** What the peer offers; {@code null} if its version offers nothing, or it opened no zone. */
    @Nullable LandingOffer offer() {
        return offer;
    }

    /** Whether tensors come into memory of a GPU unless something else is asked for. */
    boolean isInGpu() {
        return inGpu;
    }

    /** What the peer is to be told of a wish: nothing where tensors land so anyway. */
    LandingKind toAsk(LandingKind wish) {
        return offer == null || isMet(wish) ? LandingKind.ANY : wish;
    }

    private boolean isMet(LandingKind wish) {
        return switch (wish) {
            case ANY -> true;
            case HOST -> !inGpu;
            case DEVICE -> inGpu;
        };
    }

    /** Why a wish cannot be met and what to do; {@code null} if it can, or if the peer opened no zone at all. */
    @Nullable String refusal(LandingKind wish) {
        LandingOffer told = offer;
        if (!known || isMet(wish)) {
            return null;
        }
        if (told == null) {
            return "the peer runs a version that does not let senders choose. Run the version of this node there";
        }
        boolean host = wish == LandingKind.HOST;
        String other = MemoryKind.HOST.toString();
        if (told.kinds().stream().anyMatch(kind -> host == kind.equals(other))) {
            return null;
        }
        if (LandingOffer.NO_GPU.equals(told.reason())) {
            return "the peer uses no GPU. See 'fabric.gpu' and the log of its start there";
        }
        String lands = "its tensors land in memory of " + (inGpu ? "a GPU" : "the host");
        return LandingOffer.NO_CHOICE.equals(told.reason())
                ? lands + ", and senders may not choose there. Set 'fabric.landing.sender-choice' or"
                        + " 'fabric.landing.memory' at the peer"
                : lands + ", and it offers no other. Look at 'fabric.landing' and 'fabric.gpu' at the peer";
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.connection.LandingOffer;
import io.tensorfabric.memory.MemoryKind;
import java.util.List;

/**
 * Where tensors land at this node, and what else senders may ask for. Immutable.
 *
 * @param gpus of this node
 * @param open whether senders may ask for another kind of memory than that which tensors land in otherwise
 */
record LandingChoice(Gpus gpus, boolean open) {

    /** Where a tensor of a peer goes. */
    MemoryKind target(LandingKind asked) {
        return switch (asked) {
            case ANY -> gpus.landing();
            case HOST -> MemoryKind.HOST;
            case DEVICE ->
                gpus.landingGpu() != null
                        ? gpus.landing()
                        : gpus.memories().get(0).kind();
        };
    }

    /** Whether a sender may ask for it. */
    boolean offers(LandingKind asked) {
        return switch (asked) {
            case ANY -> true;
            case HOST -> open || gpus.landingGpu() == null;
            case DEVICE ->
                gpus.landingGpu() != null || (open && !gpus.memories().isEmpty());
        };
    }

    /** What senders are told. */
    LandingOffer offer() {
        if (gpus.memories().isEmpty()) {
            return new LandingOffer(List.of(MemoryKind.HOST.toString()), LandingOffer.NO_GPU);
        }
        return open
                ? new LandingOffer(
                        List.of(
                                MemoryKind.HOST.toString(),
                                target(LandingKind.DEVICE).toString()),
                        null)
                : new LandingOffer(List.of(gpus.landing().toString()), LandingOffer.NO_CHOICE);
    }
}

package io.tensorfabric.topology;

import java.util.List;

/**
 * A GPU and a card, and what lies between them.
 *
 * @param gpu PCI address of the GPU
 * @param card name of the card
 * @param distance how far they are apart
 * @param acs whether bridges between them send peer-to-peer traffic up to the processor
 * @param redirecting addresses of the bridges that do
 */
public record GpuPairing(String gpu, String card, Distance distance, Acs acs, List<String> redirecting) {

    /** Copies the list. */
    public GpuPairing {
        redirecting = List.copyOf(redirecting);
    }

    /** PCIe's access control services between two devices. */
    public enum Acs {
        /** No bridge between them redirects. */
        OFF,
        /** A bridge between them redirects, so that data takes the way through the processor. */
        ON,
        /** The settings of a bridge cannot be read, mostly because that needs CAP_SYS_ADMIN. */
        UNKNOWN
    }
}

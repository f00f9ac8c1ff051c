package io.tensorfabric.connection;

import org.jspecify.annotations.Nullable;

/**
 * A lane as one end offers it.
 *
 * @param index position of the lane, 0 for the control lane
 * @param purpose purpose
 * @param qpn queue pair number
 * @param psn first packet sequence number that this end sends, 24 bits, random
 * @param receiveCredits messages that the other end may send before it gets credits back
 * @param providerAddress soft address with its handshake secret, or {@code null} for real devices; secret
 */
public record LaneOffer(
        int index,
        LanePurpose purpose,
        int qpn,
        int psn,
        int receiveCredits,
        @Nullable String providerAddress) {

    /** Leaves out the provider address, which carries a secret. */
    @Override
    public String toString() {
        return "LaneOffer[index=" + index + ", purpose=" + purpose + ", qpn=" + qpn + ", receiveCredits="
                + receiveCredits + "]";
    }
}

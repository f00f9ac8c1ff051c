package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/**
 * What the sender of an arrived tensor has been told of it, and is told again over the latest link that it asked on.
 * Thread-safe.
 */
final class InboundAnswers {

    private final long transferId;

    private final ReceiptLevel wanted;

    // Guarded by this.
    private PeerLink link;
    private boolean accepted;
    private boolean processed;
    private @Nullable RejectCode rejected;
    private String reason = "";

    InboundAnswers(long transferId, ReceiptLevel wanted, PeerLink link) {
        this.transferId = transferId;
        this.wanted = wanted;
        this.link = link;
    }

    ReceiptLevel wanted() {
        return wanted;
    }

    /** It is for a listener now. Twice is harmless. */
    synchronized void accepted() {
        if (accepted) {
            return;
        }
        accepted = true;
        if (wanted.compareTo(ReceiptLevel.ACCEPTED) >= 0) {
            link.sender().answers().answer(transferId, ReceiptLevel.ACCEPTED);
        }
    }

    synchronized void processed() {
        processed = true;
        if (wanted == ReceiptLevel.PROCESSED) {
            link.sender().answers().answer(transferId, ReceiptLevel.PROCESSED);
        }
    }

    /** @param least receipt that a sender must want to be told */
    synchronized void refused(RejectCode code, String text, ReceiptLevel least) {
        if (wanted.compareTo(least) >= 0) {
            rejected = code;
            reason = text;
            link.sender().answers().refuse(transferId, code, text);
        }
    }

    /** The same transfer came again, over another link: answers go there from now on. */
    synchronized void goTo(PeerLink other) {
        link = other;
        if (wanted == ReceiptLevel.PLACED) {
            return;
        }
        RejectCode code = rejected;
        if (code != null) {
            other.sender().answers().refuse(transferId, code, reason);
        } else if (processed) {
            other.sender().answers().answer(transferId, wanted);
        } else if (accepted) {
            other.sender().answers().answer(transferId, ReceiptLevel.ACCEPTED);
        }
    }
}

package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/**
 * What the sender of an arrived tensor has been told of it, and is told again over the latest link that it asked on. A
 * superclass rather than a part, so that a tensor stays one object. Thread-safe.
 */
abstract class InboundAnswers extends InboxPlace {

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

    /** Number of the transfer at the sender. */
    public final long transferId() {
        return transferId;
    }

    final ReceiptLevel wanted() {
        return wanted;
    }

    /** It is for a listener now. Twice is harmless. */
    final synchronized void tellAccepted() {
        if (accepted) {
            return;
        }
        accepted = true;
        if (wanted.compareTo(ReceiptLevel.ACCEPTED) >= 0) {
            link.sender().answers().answer(transferId, ReceiptLevel.ACCEPTED);
        }
    }

    final synchronized void tellProcessed() {
        processed = true;
        if (wanted == ReceiptLevel.PROCESSED) {
            link.sender().answers().answer(transferId, ReceiptLevel.PROCESSED);
        }
    }

    /** @param least receipt that a sender must want to be told */
    final synchronized void tellRefused(RejectCode code, String text, ReceiptLevel least) {
        if (wanted.compareTo(least) >= 0) {
            rejected = code;
            reason = text;
            link.sender().answers().refuse(transferId, code, text);
        }
    }

    /** The same transfer came again, over another link: answers go there from now on. */
    final synchronized void answerTo(PeerLink other) {
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

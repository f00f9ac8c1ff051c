package io.tensorfabric.transfer;

import io.tensorfabric.transfer.TransferStatus.State;

/** Where a push is, for messages. */
enum PushPhase {
    QUEUED("waiting for earlier pushes to this peer", State.QUEUED),
    PREPARING("waiting for registered memory for its source", State.QUEUED),
    CONNECTING("waiting for a connection", State.QUEUED),
    BACKOFF("waiting to try again after a lost connection", State.QUEUED),
    REGION("asking for the published tensor", State.QUEUED),
    ROOM("waiting for room in the peer's landing zone", State.QUEUED),
    WRITING("writing", State.WRITING),
    READING("reading", State.WRITING),
    CHECKING("comparing checksums", State.WAITING),
    ANSWER("waiting for the peer's receipt", State.WAITING);

    private final String text;

    private final State state;

    PushPhase(String text, State state) {
        this.text = text;
        this.state = state;
    }

    String text() {
        return text;
    }

    /** As users see it. */
    State state() {
        return state;
    }

    /** Whether a push that is stuck here is stuck because something is full. */
    boolean isBackpressure() {
        return this == QUEUED || this == PREPARING || this == ROOM;
    }
}

package io.tensorfabric.transfer;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** The answer of a listener for one tensor, given later. Thread-safe. */
final class DeferredAnswer implements Acknowledgment {

    private final InboundTransfer transfer;

    private final AtomicBoolean ended = new AtomicBoolean();

    DeferredAnswer(InboundTransfer transfer) {
        this.transfer = transfer;
    }

    /** Takes the right to answer; false if it is gone. */
    boolean end() {
        return ended.compareAndSet(false, true);
    }

    @Override
    public void acknowledge() {
        if (end()) {
            transfer.answered(null);
        }
    }

    @Override
    public void fail(Throwable reason) {
        Objects.requireNonNull(reason, "reason");
        if (end()) {
            transfer.answered(reason);
        }
    }

    @Override
    public boolean isEnded() {
        return ended.get();
    }
}

package io.tensorfabric.transfer;

import java.time.Duration;

/** Sees transfers end, for metrics. Called on threads of the fabric: must not block or throw. */
@FunctionalInterface
public interface TransferObserver {

    /**
     * A transfer ended: a push with its outcome, or a received tensor when its listener ended or it was refused.
     *
     * @param status how it ended
     * @param elapsed from the push, or the arrival of the header, until now
     */
    void transferEnded(TransferStatus status, Duration elapsed);
}

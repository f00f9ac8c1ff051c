package io.tensorfabric.transfer;

import io.tensorfabric.transfer.TransferStatus.Direction;
import io.tensorfabric.transfer.TransferStatus.State;
import java.time.Duration;

/**
 * Sees transfers end, for metrics. Called on threads of the fabric: must not block or throw. An observer that counts all
 * transfers overrides {@link #transferCounted} and {@link #wantsStatus}, so that no objects are made for it.
 */
@FunctionalInterface
public interface TransferObserver {

    /**
     * A transfer ended: a push with its outcome, or a received tensor when its listener ended or it was refused.
     *
     * @param status how it ended
     * @param elapsed from the push, or the arrival of the header, until now
     */
    void transferEnded(TransferStatus status, Duration elapsed);

    /** Whether {@link #transferEnded} is called of transfers that end so; of all unless overridden. Asked at each end. */
    default boolean wantsStatus(State state) {
        return true;
    }

    /**
     * A transfer ended: the same in figures, before {@link #transferEnded} and whatever {@link #wantsStatus} says. Does nothing
     * unless overridden.
     *
     * @param direction which way the bytes went
     * @param state how it ended
     * @param path how the bytes went, {@link TransferPath#NONE} if they did not
     * @param bytes payload
     * @param nanos from the push, or the arrival of the header, until now
     */
    default void transferCounted(Direction direction, State state, TransferPath path, long bytes, long nanos) {}
}

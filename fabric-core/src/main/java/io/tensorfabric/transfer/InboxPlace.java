package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/**
 * What the inbox keeps of a tensor that is under way. A superclass rather than a part, so that a tensor stays one object.
 * Guarded by the inbox, except where noted.
 */
abstract class InboxPlace {

    // The list of those under way.
    @Nullable InboundTransfer previous;

    @Nullable InboundTransfer next;

    boolean linked;
    boolean returned; // its thread is done with it
    boolean goesAgain; // its group is complete, and its thread not yet done with it

    /** Whether it waits for others of its group. Set under the lock of the groups, ended by the inbox or whoever drops it. */
    private volatile boolean held;

    /** Whether it waits for others of its group. */
    final boolean isHeld() {
        return held;
    }

    final void held(boolean value) {
        held = value;
    }
}

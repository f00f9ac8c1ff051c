package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/**
 * Large pushes and pulls whose bytes all bulk lanes of a link carry together: each lane that has room takes the next piece,
 * so that a slow lane holds up no other. Order holds within a lane only, so the header of a push leaves when the device
 * has completed all pieces. Guarded by the lock of the link's sender.
 */
final class Stripes {

    private final PushQueue pushes = PushQueue.byPriority();

    private final int lanes;

    private final TransferOptions options;

    /** @param lanes bulk lanes of the link */
    Stripes(int lanes, TransferOptions options) {
        this.lanes = lanes;
        this.options = options;
    }

    /**
     * Whether a push is spread over the lanes. The answer never changes once its source is set up. Memory that a GPU is copied
     * to chunk by chunk is used again in the order of the chunks, which one lane keeps.
     */
    boolean takes(Push push) {
        return lanes > 1
                && push.bytes() >= options.stripeThreshold()
                && !push.isSmall()
                && push.options().priority() != TransferPriority.HIGH
                && !push.source.isShared()
                && push.source.staged() == null;
    }

    void add(Push push) {
        pushes.add(push);
    }

    void remove(Push push) {
        pushes.remove(push);
    }

    void clear() {
        pushes.clear();
    }

    @Nullable Push peek() {
        return pushes.peek();
    }

    /** The queue itself, in which pushes take turns. */
    PushQueue queue() {
        return pushes;
    }

    /** Chunks of a push that a lane takes at once: not so many that other lanes find nothing left. */
    int chunks(Push push) {
        long chunk = options.chunkSize();
        long share = (push.bytes() + chunk * lanes - 1) / (chunk * lanes);
        return (int) Math.min(options.chunksPerTransmission(), share);
    }

    /** Whether all bytes of a push to the peer are there, so that its header may follow. */
    boolean isWritten(Push push) {
        return takes(push)
                && !push.isPull()
                && !push.headerPosted
                && !push.broken
                && push.outstanding == 0
                && push.placed == push.bytes();
    }
}

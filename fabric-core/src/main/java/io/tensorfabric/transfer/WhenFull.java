package io.tensorfabric.transfer;

/** What a push does when as many as allowed are under way to its peer, or the pool has no buffer for its source. */
public enum WhenFull {
    /** It waits until its deadline, in order. */
    WAIT,
    /** It fails at once with {@link TransferException.Kind#BACKPRESSURE}. */
    FAIL
}

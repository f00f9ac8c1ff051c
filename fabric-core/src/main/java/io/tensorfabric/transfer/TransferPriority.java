package io.tensorfabric.transfer;

/**
 * Which of the transfers of this node with one peer go first. It orders what waits at this node: for a place among those that may
 * be under way, for the connection, for room in the peer's landing zone, and for a lane. Each of these queues lets a
 * higher priority go first, always, and keeps the order of the calls within one; so a steady stream of a higher one can keep
 * a lower one waiting until its deadline. What a lane has begun to write is not taken back.
 *
 * <p>It does not reach further: other peers' transfers are not concerned, the threads that register memory and the waits for
 * pools know no priority, and neither do the receiver and its listeners, which are not told.
 */
public enum TransferPriority {

    /**
     * When nothing else wants to be sent. Never takes the control lane, however small it is, unless the connection has
     * no other lane; only messages without payload go there.
     */
    LOW,

    /**
     * By size: what is not larger than {@link TransferOptions#smallThreshold()} takes the control lane and goes before larger
     * ones where room is scarce, the larger ones take the bulk lanes.
     */
    NORMAL,

    /**
     * Takes the control lane, whatever its size. Above {@link TransferOptions#smallThreshold()} it goes in pieces of that
     * length, of which two are under way at a time for all such transfers together: a small transfer waits for no more than those, and
     * large ones that are on the bulk lanes are not in its way at all. For what is urgent and not very large, since one lane with
     * two small pieces is slower than all bulk lanes with large ones.
     */
    HIGH
}

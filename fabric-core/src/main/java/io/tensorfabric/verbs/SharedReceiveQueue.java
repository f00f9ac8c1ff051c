package io.tensorfabric.verbs;

/** A shared receive queue; see {@code ibv_create_srq(3)}. */
public interface SharedReceiveQueue extends VerbsResource {

    /** Work requests it really holds. */
    int capacity();

    /**
     * Posts receives in order; see {@code ibv_post_srq_recv(3)}. Allocates nothing.
     *
     * @return how many were taken: fewer than given means that the queue is full
     * @throws VerbsException for any other reason
     */
    int post(ReceiveRequests requests);

    /**
     * Raises {@link AsyncEventType#SRQ_LIMIT_REACHED} once, when fewer than this many receives are left; 0 disarms. See
     * {@code ibv_modify_srq(3)}.
     */
    void armLimit(int limit);
}

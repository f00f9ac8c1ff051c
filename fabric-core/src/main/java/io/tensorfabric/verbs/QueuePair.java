package io.tensorfabric.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A queue pair; see {@code ibv_create_qp(3)}. Thread-safe, but posting from one thread is fastest.
 *
 * <p>Closing it drops its outstanding work without completions; move it to {@link QueuePairState#ERR} first and drain the
 * flushed completions when buffers must be known to be untouched.
 */
public interface QueuePair extends VerbsResource {

    /** Queue pair number, 24 bits. */
    int number();

    /** The present state, read from the device; see {@code ibv_query_qp(3)}. */
    QueuePairState state();

    /** The sizes that were granted. */
    QueuePairCapabilities capabilities();

    /** The attributes that the device holds; see {@code ibv_query_qp(3)}. */
    QueuePairAttributes query();

    /**
     * Changes attributes, mostly the state; see {@code ibv_modify_qp(3)} for what each transition needs and allows.
     *
     * @throws VerbsException with {@link Errno#EINVAL} for a wrong transition, naming both states and the missing or
     *     surplus attributes; the queue pair is unchanged then
     */
    void modify(QueuePairAttributes attributes);

    /**
     * Posts send work requests in order with one doorbell; see {@code ibv_post_send(3)}. Allocates nothing.
     *
     * @return how many were taken: fewer than given means that the send queue is full
     * @throws VerbsException for any other reason, such as a state before RTS, too many elements or too long inline
     *     data; {@link VerbsException#accepted()} tells how many came before
     */
    int postSend(SendRequests requests);

    /**
     * Posts receives in order; see {@code ibv_post_recv(3)}. Allocates nothing.
     *
     * @return how many were taken: fewer than given means that the receive queue is full
     * @throws VerbsException for any other reason; also when the queue pair uses a shared receive queue
     */
    int postReceive(ReceiveRequests requests);

    /**
     * Address and handshake secret by which a peer of the same provider reaches this queue pair, for
     * {@link PathAddress#providerAddress()}; {@code null} when the GID is enough. Opaque and secret: it may travel only
     * in the negotiation.
     */
    @Nullable String providerAddress();
}

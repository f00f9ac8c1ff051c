package io.tensorfabric.verbs;

/** A completion queue; see {@code ibv_create_cq(3)}. Thread-safe, but one poller at a time is fastest. */
public interface CompletionQueue extends VerbsResource {

    /** Entries it really holds, at least what was asked for. */
    int capacity();

    /**
     * Takes up to {@link WorkCompletions#capacity()} completions; see {@code ibv_poll_cq(3)}. Allocates nothing.
     *
     * @return how many were written to {@code completions}, possibly 0
     * @throws VerbsException if the queue has overrun: it is unusable then
     */
    int poll(WorkCompletions completions);

    /**
     * Says that the calling thread polls in a tight loop from now on, and later that it does so no more, before it asks for
     * a notification. A device in software then lets that thread do what else it would wake threads of its own for. Others
     * do nothing. Calls with {@code true} and {@code false} come in turn, for each thread that polls.
     */
    default void attend(boolean polling) {}

    /**
     * Asks for one event on the channel at the next completion; see {@code ibv_req_notify_cq(3)}.
     *
     * @param solicitedOnly only for completions of solicited receives, or of errors
     * @throws IllegalStateException if the queue has no channel
     */
    void requestNotification(boolean solicitedOnly);
}

package io.tensorfabric.connection;

import io.tensorfabric.verbs.WorkCompletions;

/** Takes completions of its work requests, on a poller thread. */
interface CompletionTarget {

    /**
     * A work request completed. Of {@code completions} only what {@code ibv_poll_cq(3)} says may be read: opcode, length and
     * immediate are undefined unless the status is success.
     *
     * @param slot lower half of the request's id
     * @param status status code, 0 for success
     * @param completions all completions of the batch
     * @param index the one in question
     */
    void completed(int slot, int status, WorkCompletions completions, int index);

    /** The batch in which {@link #completed} was called ends; only called after {@link CompletionPoller#batchEnds}. */
    default void batchEnded() {}
}

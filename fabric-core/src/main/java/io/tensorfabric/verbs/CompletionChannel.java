package io.tensorfabric.verbs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Where armed completion queues announce completions; see {@code ibv_create_comp_channel(3)}. */
public interface CompletionChannel extends VerbsResource {

    /**
     * Waits for an event and acknowledges it; see {@code ibv_get_cq_event(3)}. After it the queue must be armed again
     * and then polled until empty, in that order, or completions can be missed.
     *
     * @return the queue with completions, or {@code null} when none came within the time, the channel was woken or closed
     */
    @Nullable CompletionQueue await(Duration timeout);

    /** Makes a present or the next {@link #await} return {@code null} at once. */
    void wakeUp();
}

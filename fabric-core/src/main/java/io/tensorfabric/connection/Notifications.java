package io.tensorfabric.connection;

import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The wish of a poller to be woken by its completion queues. A queue that was armed announces one completion, however late:
 * until that event is taken it need not be armed again, which costs a system call on some devices. Poller thread only.
 */
final class Notifications {

    private final CompletionChannel channel;

    private final List<CompletionQueue> queues;

    private final boolean[] armed;

    /** @param queues all that have this channel */
    Notifications(CompletionChannel channel, CompletionQueue... queues) {
        this.channel = channel;
        this.queues = List.of(queues);
        this.armed = new boolean[queues.length];
    }

    /** Has the next completion of each queue end the next {@link #await}. The queues must be polled after that. */
    void arm() {
        for (int i = 0; i < armed.length; i++) {
            if (!armed[i]) {
                queues.get(i).requestNotification(false);
                armed[i] = true;
            }
        }
    }

    /** Waits for an event, a call that wakes the channel, or the end of the time. */
    void await(Duration timeout) {
        CompletionQueue announced = channel.await(timeout);
        for (int i = 0; i < armed.length; i++) {
            armed[i] &= !isSame(queues.get(i), announced);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the channel gives the very object
    private static boolean isSame(CompletionQueue queue, @Nullable CompletionQueue announced) {
        return queue == announced;
    }
}

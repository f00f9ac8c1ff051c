package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Takes completions off a queue. Not thread-safe. */
final class Poller implements AutoCloseable {

    private static final int BATCH = 32;

    private final CompletionQueue queue;
    private final Duration patience;
    private final Deque<Completion> fetched = new ArrayDeque<>();
    private final WorkCompletions completions = WorkCompletions.allocate(BATCH);

    Poller(CompletionQueue queue, Duration patience) {
        this.queue = queue;
        this.patience = patience;
    }

    /** All that is there now. */
    List<Completion> poll() {
        fetch();
        List<Completion> all = new ArrayList<>(fetched);
        fetched.clear();
        return all;
    }

    /** Waits for this many and leaves what comes after them for the next call. */
    List<Completion> await(int count) {
        List<Completion> seen = new ArrayList<>(count);
        long end = System.nanoTime() + patience.toNanos();
        while (seen.size() < count && System.nanoTime() < end) {
            if (fetched.isEmpty() && fetch() == 0) {
                Thread.yield();
            }
            while (seen.size() < count && !fetched.isEmpty()) {
                seen.add(fetched.remove());
            }
        }
        assertThat(seen).as("completions within %s", patience).hasSize(count);
        return seen;
    }

    private int fetch() {
        int count = queue.poll(completions);
        for (int i = 0; i < count; i++) {
            fetched.add(Completion.of(completions, i));
        }
        return count;
    }

    @Override
    public void close() {
        completions.close();
    }
}

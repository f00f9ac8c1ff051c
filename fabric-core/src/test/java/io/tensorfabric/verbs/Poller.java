package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Takes completions off a queue. Not thread-safe. */
final class Poller implements AutoCloseable {

    private static final int BATCH = 32;

    private final CompletionQueue queue;
    private final Duration patience;
    private final WorkCompletions completions = WorkCompletions.allocate(BATCH);

    Poller(CompletionQueue queue, Duration patience) {
        this.queue = queue;
        this.patience = patience;
    }

    /** What is there now, at most a batch. */
    List<Completion> poll() {
        int count = queue.poll(completions);
        List<Completion> copies = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            copies.add(Completion.of(completions, i));
        }
        return copies;
    }

    /** Waits for exactly this many: more in the last batch are a failure. */
    List<Completion> await(int count) {
        List<Completion> seen = new ArrayList<>();
        long end = System.nanoTime() + patience.toNanos();
        while (seen.size() < count && System.nanoTime() < end) {
            List<Completion> batch = poll();
            if (batch.isEmpty()) {
                Thread.yield();
            }
            seen.addAll(batch);
        }
        assertThat(seen).as("completions within %s", patience).hasSize(count);
        return seen;
    }

    @Override
    public void close() {
        completions.close();
    }
}

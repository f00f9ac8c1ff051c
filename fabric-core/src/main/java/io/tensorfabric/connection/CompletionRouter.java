package io.tensorfabric.connection;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Knows whose a completion is. A slot that is given back is used again with another generation, so that a completion that
 * comes late reaches nobody. Thread-safe; look-ups take no lock.
 */
final class CompletionRouter {

    private final AtomicReferenceArray<@Nullable Entry> entries = new AtomicReferenceArray<>(WorkIds.MAX_TARGETS);

    private final ArrayDeque<Integer> free = new ArrayDeque<>();

    private int used;

    private int generation;

    private record Entry(int generation, CompletionTarget target) {}

    /** Takes in a target; returns the upper half of its work-request ids. */
    synchronized long register(CompletionTarget target) {
        Integer reused = free.pollFirst();
        int index = reused != null ? reused : used++;
        if (index >= WorkIds.MAX_TARGETS) {
            used = WorkIds.MAX_TARGETS;
            throw new IllegalStateException("More than " + WorkIds.MAX_TARGETS + " lanes and receive queues");
        }
        generation = (generation + 1) & 0xffff;
        entries.set(index, new Entry(generation, target));
        return WorkIds.target(generation, index);
    }

    /** Forgets a target; twice is harmless. */
    synchronized void unregister(long id) {
        int index = WorkIds.index(id);
        Entry entry = entries.get(index);
        if (entry != null && entry.generation() == WorkIds.generation(id)) {
            entries.set(index, null);
            free.addLast(index);
        }
    }

    @Nullable CompletionTarget find(long id) {
        Entry entry = entries.get(WorkIds.index(id));
        return entry != null && entry.generation() == WorkIds.generation(id) ? entry.target() : null;
    }
}

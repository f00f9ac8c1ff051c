package io.tensorfabric.connection;

import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Completions by status. Thread-safe. */
final class CompletionCounters {

    private final LongAdder[] counts = new LongAdder[WorkCompletionStatus.values().length];

    CompletionCounters() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    void count(int statusCode) {
        counts[WorkCompletionStatus.ofCode(statusCode).code()].increment();
    }

    /** Statuses that came at least once. */
    Map<WorkCompletionStatus, Long> snapshot() {
        Map<WorkCompletionStatus, Long> snapshot = new EnumMap<>(WorkCompletionStatus.class);
        for (int i = 0; i < counts.length; i++) {
            long count = counts[i].sum();
            if (count > 0) {
                snapshot.put(WorkCompletionStatus.ofCode(i), count);
            }
        }
        return snapshot;
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.Map;

/**
 * A completion queue as seen by people.
 *
 * @param name name, the same as its poller thread's with its purpose
 * @param capacity completions that it holds
 * @param outstanding completions that are due at most: work requests in flight, or receives posted
 * @param peakOutstanding highest value of {@code outstanding} so far
 * @param completions completions so far by status; statuses that never came are left out
 * @param broken whether it has overrun or failed and is unusable
 */
public record CompletionQueueStatus(
        String name,
        int capacity,
        int outstanding,
        int peakOutstanding,
        Map<WorkCompletionStatus, Long> completions,
        boolean broken) {}

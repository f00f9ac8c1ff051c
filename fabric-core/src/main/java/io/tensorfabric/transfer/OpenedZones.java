package io.tensorfabric.transfer;

import io.tensorfabric.connection.SharedMemoryRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which zones of peers this node has open by itself. Each request for another one says so, and with that what may be freed:
 * zones of connections that were lost, in which nobody could be told any more. Thread-safe.
 */
final class OpenedZones {

    private static final int MOST_TOLD = 512;

    private final Set<Long> tokens = new HashSet<>();

    private int asking;

    /** Begins a request; {@link #end} ends it. Null where this process cannot say who it is. */
    synchronized @Nullable SharedMemoryRequest begin() {
        ThisProcess self = ThisProcess.current();
        if (self == null) {
            return null;
        }
        asking++;
        // An answer that is under way may bring one that is not in the list.
        List<Long> open = asking == 1 && tokens.size() <= MOST_TOLD ? List.copyOf(tokens) : null;
        return new SharedMemoryRequest(self.host(), self.id(), self.started(), open);
    }

    synchronized void end() {
        asking--;
    }

    /** Before it is opened. */
    synchronized void opened(long token) {
        tokens.add(token);
    }

    /** After it is closed. */
    synchronized void closed(long token) {
        tokens.remove(token);
    }
}

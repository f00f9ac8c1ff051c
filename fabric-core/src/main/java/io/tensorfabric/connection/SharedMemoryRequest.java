package io.tensorfabric.connection;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The wish for a landing zone that the requester opens by itself, as both nodes are on one host: GPU memory by CUDA IPC.
 *
 * @param host stands for the host and the process namespace of the requester; equal for processes that see each other
 * @param process the requester's process id
 * @param started when that process started, in clock ticks since the host did
 * @param open tokens of all such zones of the answering node that the requester's node still has open; {@code null} if it
 *     cannot tell now
 */
public record SharedMemoryRequest(
        String host, long process, long started, @Nullable List<Long> open) {

    /** Copies the list. */
    public SharedMemoryRequest {
        open = open == null ? null : List.copyOf(open);
    }

    /** Whether another request comes from the same process. */
    public boolean isOf(SharedMemoryRequest other) {
        return process == other.process && started == other.started && host.equals(other.host);
    }
}

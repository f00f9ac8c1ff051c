package io.tensorfabric.service.push;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A push as far as it came.
 *
 * @param id id of the push
 * @param file id of the file
 * @param peer name of the peer
 * @param state RUNNING, DONE or FAILED
 * @param tensors tensors to push
 * @param tensorsDone tensors that have arrived
 * @param bytes payload bytes to push
 * @param bytesDone payload bytes that have arrived
 * @param started when it began
 * @param millis milliseconds from the first push to the last receipt so far
 * @param error the first failure, or {@code null}
 * @param results outcome of each tensor that has ended
 */
record PushView(
        String id,
        String file,
        String peer,
        State state,
        int tensors,
        int tensorsDone,
        long bytes,
        long bytesDone,
        Instant started,
        double millis,
        @Nullable String error,
        List<PushedTensor> results) {

    /** State of a push. */
    enum State {
        RUNNING,
        DONE,
        FAILED
    }
}

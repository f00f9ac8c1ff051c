package io.tensorfabric.service.push;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of one tensor of a push.
 *
 * @param tensor name
 * @param dtype data type
 * @param shape dimensions
 * @param bytes payload bytes
 * @param micros time from its push to its receipt in microseconds
 * @param attempts tries
 * @param error why it failed, or {@code null}
 */
record PushedTensor(
        String tensor,
        String dtype,
        List<Long> shape,
        long bytes,
        long micros,
        int attempts,
        @Nullable String error) {}

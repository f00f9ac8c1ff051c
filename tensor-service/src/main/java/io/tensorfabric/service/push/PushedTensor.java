package io.tensorfabric.service.push;

import io.tensorfabric.transfer.TransferPath;
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
 * @param path how the bytes went, or {@code null} if they did not
 * @param error why it failed, or {@code null}
 */
record PushedTensor(
        String tensor,
        String dtype,
        List<Long> shape,
        long bytes,
        long micros,
        int attempts,
        @Nullable TransferPath path,
        @Nullable String error) {}

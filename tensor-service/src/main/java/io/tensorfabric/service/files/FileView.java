package io.tensorfabric.service.files;

import io.tensorfabric.service.store.TensorFile;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file of the store, without its tensors.
 *
 * @param id id for further calls
 * @param name name as uploaded or as the sender called it
 * @param peer peer that it came from, or {@code null} if it was uploaded here
 * @param created when it was made
 * @param tensors number of tensors
 * @param bytes payload bytes of all tensors
 * @param metadata safetensors metadata
 */
record FileView(
        String id,
        String name,
        @Nullable String peer,
        Instant created,
        int tensors,
        long bytes,
        Map<String, String> metadata) {

    static FileView of(TensorFile file) {
        var tensors = file.tensors();
        long bytes = tensors.stream()
                .mapToLong(tensor -> tensor.descriptor().byteLength())
                .sum();
        return new FileView(
                file.id(), file.name(), file.peer(), file.created(), tensors.size(), bytes, file.metadata());
    }
}

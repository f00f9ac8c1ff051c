package io.tensorfabric.service.files;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.service.store.TensorMemory;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.safetensors.SafetensorsEntry;
import io.tensorfabric.tensor.safetensors.SafetensorsWriter;
import io.tensorfabric.tensor.safetensors.TensorSource;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Names host memory with the bytes of tensors: their own, or a copy of one at a time that lies in a GPU. */
final class HostCopies implements TensorSource, AutoCloseable {

    private final TensorMemory memory;

    private final Map<String, Tensor> onDevices;

    private final TensorSource onHost;

    private @Nullable BufferLease copy;

    HostCopies(TensorMemory memory, List<Tensor> tensors) {
        this.memory = memory;
        this.onDevices = tensors.stream()
                .filter(tensor -> tensor.kind().type() != MemoryKind.Type.HOST)
                .collect(Collectors.toMap(Tensor::name, Function.identity()));
        this.onHost = SafetensorsWriter.sourceOf(tensors);
    }

    @Override
    public long addressOf(SafetensorsEntry entry) throws IOException {
        close();
        Tensor tensor = onDevices.get(entry.name());
        if (tensor == null) {
            return onHost.addressOf(entry);
        }
        BufferLease fresh = memory.toHost(tensor, "download");
        copy = fresh;
        return fresh.address();
    }

    @Override
    public void close() {
        BufferLease old = copy;
        copy = null;
        if (old != null) {
            old.close();
        }
    }
}

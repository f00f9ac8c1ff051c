package io.tensorfabric.autoconfigure;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.cuda.GpuMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where tensors land, as a property says it.
 *
 * @param kind the memory, {@code null} for the first GPU if there is one and the host else
 */
record LandingMemory(@Nullable MemoryKind kind) {

    private static final String PROPERTY = "fabric.landing.memory";

    static LandingMemory parse(String text) {
        if ("auto".equals(text)) {
            return new LandingMemory(null);
        }
        try {
            return new LandingMemory(MemoryKind.parse(text));
        } catch (IllegalArgumentException ex) {
            throw PropertyChecks.invalid(PROPERTY, text, "It must be host, auto, or cuda:N for a GPU.");
        }
    }

    boolean isGpu() {
        return kind != null && kind.type() == MemoryKind.Type.CUDA;
    }

    MemoryKind among(List<GpuMemory> memories) {
        MemoryKind wanted = kind;
        if (wanted == null) {
            return memories.isEmpty() ? MemoryKind.HOST : memories.get(0).kind();
        }
        if (isGpu() && memories.stream().noneMatch(memory -> memory.kind().equals(wanted))) {
            throw new FabricUnavailableException(
                    "'" + PROPERTY + "' is " + wanted + ", which is not one of the GPUs in use: "
                            + memories.stream().map(GpuMemory::kind).toList(),
                    "Change it, or 'fabric.gpu.devices'.",
                    null);
        }
        return wanted;
    }
}

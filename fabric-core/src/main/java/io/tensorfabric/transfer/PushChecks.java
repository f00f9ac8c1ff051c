package io.tensorfabric.transfer;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.cuda.CudaDriverException;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** What is looked at on the thread that calls a push. */
final class PushChecks {

    private PushChecks() {}

    /** Why a tensor cannot be pushed, or {@code null}. */
    static @Nullable String problem(Engine engine, Tensor tensor, PushOptions options) {
        if (tensor.byteLength() > engine.options().maxTensorBytes()) {
            return "it has " + tensor.byteLength() + " bytes, more than "
                    + engine.options().maxTensorBytes();
        }
        if (tensor.kind().type() != MemoryKind.Type.HOST
                && engine.memory().gpus().find(tensor.kind()) == null) {
            return "it lies in " + tensor.kind() + ", and the fabric of this node uses no such GPU";
        }
        if (options.headers().isEmpty()) {
            return null;
        }
        try {
            TensorMessage.checkHeaders(options.headers(), engine.options().maxHeadersBytes());
            return null;
        } catch (IllegalArgumentException e) {
            return "its headers do not fit: " + e.getMessage();
        }
    }

    /** Marks the work of the GPU that the bytes come from; returns why that cannot be done, or {@code null}. */
    static @Nullable String mark(Engine engine, Push push) {
        GpuMemory gpu = engine.memory().gpus().find(push.tensor().kind());
        if (gpu == null || push.bytes() == 0) {
            return null;
        }
        try {
            push.source.useMark(gpu.copies().mark(push.options().after()));
            return null;
        } catch (CudaDriverException e) {
            return "the work that it comes from cannot be waited for: " + e.getMessage();
        }
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.cuda.CudaDriverException;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** What is looked at on the thread that calls a push. */
final class PushChecks {

    private PushChecks() {}

    /** Why a tensor cannot be pushed, pulled into or put, or {@code null}. */
    static @Nullable String problem(Engine engine, Tensor tensor, PushOptions options, @Nullable RegionUse region) {
        if (tensor.byteLength() > engine.options().maxTensorBytes()) {
            return "it has " + tensor.byteLength() + " bytes, more than "
                    + engine.options().maxTensorBytes();
        }
        if (tensor.kind().type() != MemoryKind.Type.HOST
                && engine.memory().gpus().find(tensor.kind()) == null) {
            return "it lies in " + tensor.kind() + ", and the fabric of this node uses no such GPU";
        }
        if (region != null && region.isPull()) {
            if (tensor.kind().type() != MemoryKind.Type.HOST) {
                return "the local tensor lies in " + tensor.kind()
                        + ", and pulls end in host memory only: pull into host memory and copy from there, or have the"
                        + " peer push it";
            }
            return tensor.isReadOnly() ? "the memory of the local tensor is read-only" : null;
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

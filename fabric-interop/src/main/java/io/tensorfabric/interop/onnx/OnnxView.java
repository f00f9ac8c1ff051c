package io.tensorfabric.interop.onnx;

import ai.onnxruntime.OnnxTensor;
import io.tensorfabric.tensor.Tensor;
import java.util.concurrent.atomic.AtomicBoolean;

/** A tensor as ONNX Runtime sees it, over the same memory, which it holds until it is closed. */
public final class OnnxView implements AutoCloseable {

    private final Tensor tensor;
    private final OnnxTensor value;
    private final AtomicBoolean closed = new AtomicBoolean();

    OnnxView(Tensor tensor, OnnxTensor value) {
        this.tensor = tensor;
        this.value = value;
    }

    /** For a session; closed by this view. */
    public OnnxTensor value() {
        return value;
    }

    /** Closes the value and releases the tensor. Further calls do nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            value.close();
            tensor.release();
        }
    }
}

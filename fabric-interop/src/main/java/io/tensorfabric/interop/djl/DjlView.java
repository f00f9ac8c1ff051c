package io.tensorfabric.interop.djl;

import ai.djl.ndarray.NDArray;
import io.tensorfabric.tensor.Tensor;
import java.util.concurrent.atomic.AtomicBoolean;

/** A tensor as an array of DJL, which holds the tensor's memory until it is closed. */
public final class DjlView implements AutoCloseable {

    private final Tensor tensor;
    private final NDArray array;
    private final AtomicBoolean closed = new AtomicBoolean();

    DjlView(Tensor tensor, NDArray array) {
        this.tensor = tensor;
        this.array = array;
    }

    /** Closed by this view. */
    public NDArray array() {
        return array;
    }

    /** Closes the array and releases the tensor. Further calls do nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            array.close();
            tensor.release();
        }
    }
}

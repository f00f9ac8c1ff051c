package io.tensorfabric.test;

import io.tensorfabric.tensor.Tensor;

/** Assertions about a tensor. */
public final class TensorAssert extends AbstractTensorAssert<TensorAssert, Tensor> {

    TensorAssert(Tensor actual) {
        super(actual, TensorAssert.class, actual);
    }

    /** It was closed. */
    public TensorAssert isClosed() {
        if (!actual.isClosed()) {
            failWithMessage("Expected tensor '%s' to be closed, but it is open", actual.name());
        }
        return this;
    }

    /** It was not closed. */
    public TensorAssert isOpen() {
        if (actual.isClosed()) {
            failWithMessage("Expected tensor '%s' to be open, but it is closed", actual.name());
        }
        return this;
    }
}

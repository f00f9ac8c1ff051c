package io.tensorfabric.test;

import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.ReceivedTensor;

/** Entry points of assertions about tensors. */
public final class FabricAssertions {

    private FabricAssertions() {}

    /** Assertions about a tensor. */
    public static TensorAssert assertThat(Tensor actual) {
        return new TensorAssert(actual);
    }

    /** Assertions about the tensor that a test peer got. */
    public static CapturedTensorAssert assertThat(CapturedTensor actual) {
        return new CapturedTensorAssert(actual);
    }

    /** Assertions about the tensor that a listener got. */
    public static TensorAssert assertThat(ReceivedTensor actual) {
        return new TensorAssert(actual.tensor());
    }
}

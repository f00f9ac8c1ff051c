package io.tensorfabric.test;

import java.util.Objects;

/** Assertions about a tensor that a test peer got: what it is, and what came with it. */
public final class CapturedTensorAssert extends AbstractTensorAssert<CapturedTensorAssert, CapturedTensor> {

    CapturedTensorAssert(CapturedTensor actual) {
        super(actual, CapturedTensorAssert.class, actual.tensor());
    }

    /** It came with this header. */
    public CapturedTensorAssert hasHeader(String key, String value) {
        String present = actual.headers().get(key);
        if (!Objects.equals(present, value)) {
            failWithMessage(
                    "Expected tensor '%s' to have the header '%s' = '%s', but it has %s",
                    actual.name(), key, value, actual.headers());
        }
        return this;
    }

    /** It came from this peer. */
    public CapturedTensorAssert isFrom(String peer) {
        if (!actual.peer().equals(peer)) {
            failWithMessage(
                    "Expected tensor '%s' to be from '%s', but it is from '%s'", actual.name(), peer, actual.peer());
        }
        return this;
    }
}

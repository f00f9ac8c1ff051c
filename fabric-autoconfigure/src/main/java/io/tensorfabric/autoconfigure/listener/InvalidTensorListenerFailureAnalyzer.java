package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.listener.InvalidTensorListenerException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which method cannot be a listener, and how to change it. */
final class InvalidTensorListenerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidTensorListenerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidTensorListenerException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}

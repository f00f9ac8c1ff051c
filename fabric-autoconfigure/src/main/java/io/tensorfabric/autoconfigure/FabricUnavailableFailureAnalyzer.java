package io.tensorfabric.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why the fabric cannot start. */
final class FabricUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<FabricUnavailableException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, FabricUnavailableException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}

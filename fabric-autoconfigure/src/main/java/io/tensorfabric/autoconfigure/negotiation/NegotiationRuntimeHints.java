package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.EstablishedRequest;
import io.tensorfabric.connection.EstablishedResponse;
import io.tensorfabric.connection.NodeDescription;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.connection.ZoneRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** The records of the negotiation, which are read from JSON and written to it, with all that they hold. */
final class NegotiationRuntimeHints implements RuntimeHintsRegistrar {

    NegotiationRuntimeHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(
                        hints.reflection(),
                        NodeDescription.class,
                        ConnectRequest.class,
                        ConnectResponse.class,
                        EstablishedRequest.class,
                        EstablishedResponse.class,
                        ZoneRequest.class,
                        ZoneGrant.class,
                        ProblemDetails.class);
    }
}

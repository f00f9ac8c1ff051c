package io.tensorfabric.service.dashboard;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.stereotype.Component;

/**
 * Calls endpoints of Actuator within the process, since these may listen on another port than the page. What is not exposed
 * there by {@code management.endpoints.web.exposure} is not seen here either.
 */
@Component
class EndpointReader {

    private final ObjectProvider<WebEndpointsSupplier> endpoints;

    EndpointReader(ObjectProvider<WebEndpointsSupplier> endpoints) {
        this.endpoints = endpoints;
    }

    /** What reading a path such as {@code fabric/{section}} gives; {@code null} if there is nothing, or no such path. */
    @Nullable Object read(String path, Map<String, Object> arguments) {
        return call(WebEndpointHttpMethod.GET, path, arguments);
    }

    /** The same by the operation that writes. */
    @Nullable Object write(String path, Map<String, Object> arguments) {
        return call(WebEndpointHttpMethod.POST, path, arguments);
    }

    private @Nullable Object call(WebEndpointHttpMethod method, String path, Map<String, Object> arguments) {
        WebOperation operation = find(method, path);
        return operation == null ? null : operation.invoke(new InvocationContext(SecurityContext.NONE, arguments));
    }

    private @Nullable WebOperation find(WebEndpointHttpMethod method, String path) {
        return endpoints.stream()
                .flatMap(supplier -> supplier.getEndpoints().stream())
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .filter(operation -> operation.getRequestPredicate().getHttpMethod() == method)
                .filter(operation -> operation.getRequestPredicate().getPath().equals(path))
                .findFirst()
                .orElse(null);
    }
}

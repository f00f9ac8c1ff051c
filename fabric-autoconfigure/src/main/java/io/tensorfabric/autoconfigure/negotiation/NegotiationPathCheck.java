package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.FabricUnavailableException;
import org.springframework.core.env.Environment;

/** Refuses a path of the negotiation that would take the calls of others on the same web server. */
final class NegotiationPathCheck {

    private static final String PATH = "fabric.negotiation.path";

    private NegotiationPathCheck() {}

    static void check(String path, Environment environment) {
        boolean sameServer = !environment.containsProperty("management.server.port")
                || environment
                        .getProperty("management.server.port", "")
                        .equals(environment.getProperty("server.port", "8080"));
        if (sameServer) {
            String actuator = "management.endpoints.web.base-path";
            refuseIfCovered(path, actuator, environment.getProperty(actuator, "/actuator"), "Actuator's endpoints");
        }
        String mvc = "spring.mvc.servlet.path";
        refuseIfCovered(path, mvc, environment.getProperty(mvc, "/"), "the application's controllers");
    }

    private static void refuseIfCovered(String path, String property, String other, String whose) {
        if (other.equals(path) || other.startsWith(path + "/")) {
            throw new FabricUnavailableException(
                    "'" + PATH + "' is " + path + ", which takes the calls for " + whose + " below " + other + " ('"
                            + property + "').",
                    "Set '" + PATH + "' to a path of its own, the same at all nodes, or change '" + property + "'.",
                    null);
        }
    }
}

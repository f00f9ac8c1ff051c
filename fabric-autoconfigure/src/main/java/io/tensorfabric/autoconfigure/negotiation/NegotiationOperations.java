package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.resilience.NegotiationRates;
import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.EstablishedRequest;
import io.tensorfabric.connection.NegotiationHandler;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.ZoneRequest;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Maps method and path of a call to the handler, bodies to records and back. */
final class NegotiationOperations {

    private static final Pattern CONNECTION =
            Pattern.compile("/connections/(?<id>[A-Za-z0-9-]{1,64})(?<rest>|/established|/zones)");

    private final NegotiationHandler handler;

    private final NegotiationJson json;

    private final CallerLimits limits;

    private final NegotiationRates rates;

    NegotiationOperations(
            NegotiationHandler handler, NegotiationJson json, CallerLimits limits, NegotiationRates rates) {
        this.handler = handler;
        this.json = json;
        this.limits = limits;
        this.rates = rates;
    }

    /** Refuses bodies of another media type. */
    void requireJson(Call call) {
        String type = call.header("Content-Type");
        boolean jsonType = type.equalsIgnoreCase(Answer.JSON)
                || type.regionMatches(true, 0, Answer.JSON + ";", 0, Answer.JSON.length() + 1);
        if (call.body().length > 0 && !jsonType) {
            throw new NegotiationProblem(
                    415, "MEDIA_TYPE", "The negotiation speaks application/json.", Map.of("Accept", Answer.JSON));
        }
        if (call.query() != null) {
            throw NegotiationProblem.malformed("The negotiation takes no query.");
        }
    }

    /**
     * Runs an operation.
     *
     * @param caller node id of the caller; empty when it does not say, which only unproven callers may
     */
    Answer run(Call call, String caller) {
        if (call.path().equals("/node")) {
            requireMethod(call, "GET");
            return ok(handler.node());
        }
        if (call.path().equals("/connections")) {
            requireMethod(call, "POST");
            ConnectRequest request = json.read(call.body(), ConnectRequest.class);
            requireSelf(caller, request.initiator());
            return ok(connect(call, request));
        }
        Matcher connection = CONNECTION.matcher(call.path());
        if (!connection.matches()) {
            throw new NegotiationProblem(404, "NO_SUCH_PATH", "The negotiation has no such path.");
        }
        return run(call, caller, connection.group("id"), connection.group("rest"));
    }

    private ConnectResponse connect(Call call, ConnectRequest request) {
        rates.connecting(request.initiator().nodeId());
        boolean first = limits.opening(request.connectionId(), call.caller().address());
        try {
            ConnectResponse response = handler.connect(request);
            if (response.zones().isEmpty()) {
                limits.withoutZone(request.connectionId());
            }
            return response;
        } catch (RuntimeException ex) {
            if (first) {
                limits.closed(request.connectionId());
            }
            throw ex;
        }
    }

    private Answer run(Call call, String caller, String id, String rest) {
        switch (rest) {
            case "/established" -> {
                requireMethod(call, "POST");
                EstablishedRequest request = json.read(call.body(), EstablishedRequest.class);
                requireSelf(caller, request.initiator());
                return ok(handler.established(id, request));
            }
            case "/zones" -> {
                requireMethod(call, "POST");
                ZoneRequest request = json.read(call.body(), ZoneRequest.class);
                requireSelf(caller, request.requester());
                return ok(handler.openZone(id, request));
            }
            default -> {
                requireMethod(call, "DELETE");
                handler.close(id, caller);
                return new Answer(204, Answer.JSON, new byte[0], Map.of());
            }
        }
    }

    private Answer ok(Record body) {
        return new Answer(200, Answer.JSON, json.write(body), Map.of());
    }

    private static void requireMethod(Call call, String method) {
        if (!call.method().equals(method)) {
            throw new NegotiationProblem(
                    405, "METHOD", "This path of the negotiation takes " + method + " only.", Map.of("Allow", method));
        }
    }

    private static void requireSelf(String caller, NodeIdentity claimed) {
        if (!caller.isEmpty() && !caller.equals(claimed.nodeId())) {
            throw new NegotiationProblem(403, "REFUSED", "The body names another node than the one that calls.");
        }
    }
}

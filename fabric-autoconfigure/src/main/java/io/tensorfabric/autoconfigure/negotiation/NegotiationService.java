package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.negotiation.RequestAuthenticator.Session;
import io.tensorfabric.autoconfigure.resilience.NegotiationRates;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.NegotiationHandler;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers calls: policy, authentication, operation, signature; every failure becomes a problem detail. Thread-safe. */
final class NegotiationService {

    private static final Logger logger = LoggerFactory.getLogger(NegotiationService.class);

    private final CallerPolicy policy;

    private final RequestAuthenticator authenticator;

    private final @Nullable CertificateCheck certificates;

    private final CallerLimits limits;

    private final NegotiationOperations operations;

    private final NegotiationHandler handler;

    private final NegotiationJson json;

    private final RefusalLog refusals = new RefusalLog();

    /**
     * A service.
     *
     * @param certificates checks client certificates, or {@code null} when they do not matter
     */
    NegotiationService(
            CallerPolicy policy,
            RequestAuthenticator authenticator,
            @Nullable CertificateCheck certificates,
            CallerLimits limits,
            NegotiationRates rates,
            NegotiationHandler handler,
            NegotiationJson json) {
        this.policy = policy;
        this.authenticator = authenticator;
        this.certificates = certificates;
        this.limits = limits;
        this.operations = new NegotiationOperations(handler, json, limits, rates);
        this.handler = handler;
        this.json = json;
    }

    /** Answers a call; never throws. */
    Answer answer(Call call) {
        Session session = null;
        Answer answer;
        try {
            policy.check(call, refusals);
            operations.requireJson(call);
            if (certificates != null) {
                certificates.verify(call, refusals);
            }
            session = authenticator.verify(call, handler.node().identity());
            if (session != null) {
                authenticator.requireFresh(session);
            }
            answer = run(call);
        } catch (NegotiationProblem ex) {
            answer = problem(call, ex);
        } catch (ConnectionException ex) {
            answer = problem(call, NegotiationProblem.of(ex));
        } catch (RuntimeException ex) {
            answer = problem(call, unexpected(call, ex));
        }
        return session == null ? answer : signed(answer, session);
    }

    /** The node header is what the signature and the certificate were checked against, where there are any. */
    private Answer run(Call call) {
        String node = call.header(NegotiationHeaders.NODE);
        String caller = node.isEmpty() ? call.caller().address() : node;
        limits.begin(caller);
        try {
            return operations.run(call, node);
        } finally {
            limits.end(caller);
        }
    }

    /** The problem detail of a refusal that is found before a call is complete. */
    Answer problem(NegotiationProblem problem) {
        return new Answer(
                problem.status(), ProblemDetails.MEDIA_TYPE, json.write(ProblemDetails.of(problem)), problem.headers());
    }

    private Answer problem(Call call, NegotiationProblem problem) {
        if (problem.status() == 401 && problem.challenge() == null) {
            refusals.refused(problem.code(), call.caller().address(), problem.detail());
        }
        return problem(problem);
    }

    /** The peer gets a number to ask its operator for, nothing of the inside. */
    private static NegotiationProblem unexpected(Call call, RuntimeException failure) {
        String reference = UUID.randomUUID().toString().substring(0, 8);
        logger.error(
                "Negotiation call {} {} from {} failed, reference {}",
                call.method(),
                call.path(),
                call.caller().address(),
                reference,
                failure);
        return new NegotiationProblem(
                500, "INTERNAL", "The node failed to answer; its log has the cause under reference " + reference + ".");
    }

    private static Answer signed(Answer answer, Session session) {
        Map<String, String> headers = new HashMap<>(answer.headers());
        headers.put(NegotiationHeaders.NODE, session.self().nodeId());
        headers.put(NegotiationHeaders.SIGNATURE, session.sign(answer.status(), answer.body()));
        return new Answer(answer.status(), answer.contentType(), answer.body(), headers);
    }
}

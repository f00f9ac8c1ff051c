package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.FabricProperties;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answering end of the negotiation. A servlet of its own, beside Spring MVC: it signs and checks exact bytes, limits
 * a body before anything reads it, and no advice, converter or error page of the application changes the protocol.
 */
final class NegotiationServlet extends HttpServlet {

    private static final Logger logger = LoggerFactory.getLogger(NegotiationServlet.class);

    private static final String BODY = NegotiationServlet.class.getName() + ".body";

    private static final byte[] EMPTY = new byte[0];

    /** How many bodies of full size may be in flight at once. */
    private static final int FULL_BODIES = 64;

    private final transient NegotiationService service;

    private final transient BodyBudget budget;

    private final long maxBodyBytes;

    private final long bodyTimeoutMillis;

    NegotiationServlet(NegotiationService service, FabricProperties.Negotiation properties) {
        this.service = service;
        this.maxBodyBytes = properties.maxBodySize().toBytes();
        this.bodyTimeoutMillis = properties.bodyTimeout().toMillis();
        this.budget = new BodyBudget(maxBodyBytes * FULL_BODIES);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getAttribute(BODY) instanceof byte[] body) {
            write(service.answer(call(request, body)), response);
        } else if (request.getContentLengthLong() > maxBodyBytes) {
            AsyncContext context = request.startAsync();
            new Received().refused(context, NegotiationProblem.tooLarge(maxBodyBytes));
        } else if (hasBody(request)) {
            receive(request);
        } else {
            write(service.answer(call(request, EMPTY)), response);
        }
    }

    private static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    private void receive(HttpServletRequest request) throws IOException {
        AsyncContext context = request.startAsync();
        context.setTimeout(bodyTimeoutMillis);
        BodyReader reader = new BodyReader(context, request.getInputStream(), maxBodyBytes, budget, new Received());
        context.addListener(reader);
        request.getInputStream().setReadListener(reader);
    }

    private static Call call(HttpServletRequest request, byte[] body) {
        String path = request.getPathInfo();
        return new Call(
                request.getMethod(),
                path == null ? "" : path,
                request.getQueryString(),
                body,
                request::getHeader,
                CallerInspector.inspect(request));
    }

    private static void write(Answer answer, HttpServletResponse response) throws IOException {
        response.setStatus(answer.status());
        answer.headers().forEach(response::setHeader);
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (answer.body().length > 0) {
            response.setContentType(answer.contentType());
            response.setContentLength(answer.body().length);
            response.getOutputStream().write(answer.body());
        }
    }

    private final class Received implements BodyReader.Outcome {

        @Override
        public void received(AsyncContext context, byte[] body) {
            context.getRequest().setAttribute(BODY, body);
            context.dispatch();
        }

        @Override
        public void refused(AsyncContext context, NegotiationProblem problem) {
            try {
                write(service.problem(problem), (HttpServletResponse) context.getResponse());
            } catch (IOException ex) {
                logger.debug("A refused negotiation call could not be answered: {}", ex.toString());
            } finally {
                context.complete();
            }
        }
    }
}

package io.tensorfabric.autoconfigure.negotiation;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.Context;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.Pipeline;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

/**
 * Says as a problem detail what Tomcat refuses below the negotiation's path before the negotiation sees it, such as a path
 * with an encoded slash. What it refuses elsewhere stays as it is.
 */
final class TomcatRefusals implements WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> {

    private final String path;

    private final NegotiationJson json = new NegotiationJson();

    TomcatRefusals(String path) {
        this.path = path;
    }

    @Override
    public void customize(ConfigurableTomcatWebServerFactory factory) {
        factory.addContextCustomizers(context -> context.addLifecycleListener(event -> {
            if (Lifecycle.BEFORE_START_EVENT.equals(event.getType())) {
                add(context);
            }
        }));
    }

    /** The host has its own reporter by now, which then finds the answer written. */
    private void add(Context context) {
        Pipeline pipeline = context.getParent().getPipeline();
        pipeline.addValve(new Reporter(context.getPath() + path + "/"));
    }

    private final class Reporter extends ValveBase {

        private final String prefix;

        Reporter(String prefix) {
            super(true);
            this.prefix = prefix;
        }

        @Override
        public void invoke(Request request, Response response) throws IOException, ServletException {
            getNext().invoke(request, response);
            String uri = request.getRequestURI();
            boolean refused = response.isError() && !response.isCommitted() && response.getContentWritten() == 0;
            if (refused && !request.isAsync() && uri != null && uri.startsWith(prefix) && response.setErrorReported()) {
                report(response);
            }
        }

        private void report(Response response) throws IOException {
            int status = response.getStatus();
            NegotiationProblem problem = status == 405
                    ? new NegotiationProblem(405, "METHOD", "The web server does not take this method.")
                    : new NegotiationProblem(
                            status,
                            status < 500 ? "MALFORMED" : "INTERNAL",
                            status < 500 ? "The web server refused the request." : "The web server failed.");
            response.setSuspended(false);
            response.setContentType(ProblemDetails.MEDIA_TYPE);
            response.setCharacterEncoding(StandardCharsets.UTF_8);
            Writer writer = response.getReporter();
            if (writer != null) {
                writer.write(new String(json.write(ProblemDetails.of(problem)), StandardCharsets.UTF_8));
                response.finishResponse();
            }
        }
    }
}

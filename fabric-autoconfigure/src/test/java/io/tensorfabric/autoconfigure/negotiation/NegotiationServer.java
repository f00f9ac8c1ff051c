package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.connection.ConnectionListener;
import io.tensorfabric.connection.NegotiationHandler;
import io.tensorfabric.connection.Peer;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The answering end on a real web server, over a handler without any device. */
final class NegotiationServer implements AutoCloseable {

    /** The handler of {@link #start(String, String...)}, {@code null} with one of another kind. */
    final FakeNegotiationHandler handler;

    private final ConfigurableApplicationContext context;

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(FabricProperties.class)
    @ImportAutoConfiguration({
        TomcatServletWebServerAutoConfiguration.class,
        FabricNegotiationServerAutoConfiguration.class,
        FabricResilienceAutoConfiguration.class
    })
    static class Application {}

    private NegotiationServer(NegotiationHandler handler, List<String> properties) {
        this.handler = handler instanceof FakeNegotiationHandler fake ? fake : null;
        List<String> all =
                new ArrayList<>(List.of("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off"));
        all.addAll(properties);
        this.context = new SpringApplicationBuilder(Application.class)
                .initializers(target -> target.getBeanFactory().registerSingleton("handler", handler))
                .properties(all.toArray(String[]::new))
                .run();
    }

    static NegotiationServer start(String nodeId, String... properties) {
        return new NegotiationServer(new FakeNegotiationHandler(nodeId), List.of(properties));
    }

    static NegotiationServer start(NegotiationHandler handler, String... properties) {
        return new NegotiationServer(handler, List.of(properties));
    }

    int port() {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + port());
    }

    ConnectionListener limitsListener() {
        return context.getBean("fabricCallerLimitsListener", ConnectionListener.class);
    }

    CallerLimits limits() {
        return context.getBean(CallerLimits.class);
    }

    Peer peer() {
        return new Peer("peer", uri());
    }

    @Override
    public void close() {
        context.close();
    }
}

package io.tensorfabric.autoconfigure.e2e;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.verbs.VerbsProvider;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A whole application with the starter, on a free port of the loopback address. */
final class Node implements AutoCloseable {

    static final String SECRET = "e2e shared secret 7f3a9c";

    private static final String SPRING_SECURITY = String.join(
            ",",
            "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration");

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    final RecordingProvider provider;

    final ConfigurableApplicationContext context;

    private final SmartLifecycle gate;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    /** What the listener saw. */
    record Seen(String name, String peer, byte[] bytes, Map<String, String> headers) {}

    static final class Listener {

        final BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();

        @TensorListener(names = "embeddings/*")
        void onTensor(ReceivedTensor received) {
            byte[] bytes = new byte[(int) received.tensor().byteLength()];
            received.tensor().asByteBuffer().get(bytes);
            seen.add(new Seen(received.tensor().name(), received.peer(), bytes, received.headers()));
        }

        final BlockingQueue<String> slowBegan = new LinkedBlockingQueue<>();

        final CountDownLatch slowMayEnd = new CountDownLatch(1);

        @TensorListener(names = "slow/*")
        void onSlow(ReceivedTensor received) throws InterruptedException {
            slowBegan.add(received.tensor().name());
            slowMayEnd.await(20, TimeUnit.SECONDS);
        }

        @TensorListener(names = "bad/*")
        void onBad(ReceivedTensor received) {
            throw new IllegalStateException(
                    "listener says no to " + received.tensor().name());
        }
    }

    Node(String id, String address, String... properties) {
        this.provider = new RecordingProvider(address);
        List<String> all = new ArrayList<>(List.of(
                "server.port=0",
                "server.address=" + address,
                "spring.main.banner-mode=off",
                "spring.jmx.enabled=false",
                // On the class path of these tests only; its own test has it.
                "spring.autoconfigure.exclude=" + SPRING_SECURITY,
                "fabric.node-id=" + id,
                "fabric.security.shared-secret=" + SECRET,
                "fabric.memory.host.slab-size=16MB",
                "fabric.memory.host.max-size=64MB",
                "fabric.landing.zone-size=4MB",
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.health.show-details=always",
                "management.endpoint.env.show-values=always",
                "management.endpoint.configprops.show-values=always"));
        all.addAll(List.of(properties));
        this.context = new SpringApplicationBuilder(Application.class)
                .properties(all.toArray(String[]::new))
                .initializers(target -> {
                    var factory = target.getBeanFactory();
                    factory.registerSingleton("recordingProvider", (VerbsProvider) provider);
                })
                .sources(ListenerConfiguration.class)
                .run();
        this.gate = context.getBean("fabricShutdownGate", SmartLifecycle.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class ListenerConfiguration {

        @Bean
        Listener listener() {
            return new Listener();
        }
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    URI uri() {
        String host = context.getEnvironment().getProperty("server.address");
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        String scheme = context.getEnvironment().containsProperty("server.ssl.bundle") ? "https" : "http";
        return URI.create(scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    }

    String get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(uri() + path))
                .timeout(Duration.ofSeconds(20))
                .build();
        HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    String post(String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(uri() + path))
                .timeout(Duration.ofSeconds(60))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    /** Whether the application has begun to end: it takes no more tensors. */
    boolean isEnding() {
        return !gate.isRunning();
    }

    @Override
    public void close() {
        context.close();
    }
}

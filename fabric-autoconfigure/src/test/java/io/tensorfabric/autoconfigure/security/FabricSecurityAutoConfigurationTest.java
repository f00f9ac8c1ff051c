package io.tensorfabric.autoconfigure.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationServerAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

class FabricSecurityAutoConfigurationTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner(
                    AnnotationConfigServletWebServerApplicationContext::new)
            .withConfiguration(AutoConfigurations.of(
                    FabricAutoConfiguration.class,
                    FabricDiscoveryAutoConfiguration.class,
                    FabricNegotiationClientAutoConfiguration.class,
                    FabricNegotiationServerAutoConfiguration.class,
                    FabricResilienceAutoConfiguration.class,
                    FabricSecurityAutoConfiguration.class,
                    TomcatServletWebServerAutoConfiguration.class,
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class))
            .withUserConfiguration(Application.class)
            .withPropertyValues(
                    "server.port=0",
                    "server.address=127.0.0.1",
                    "fabric.provider=soft",
                    "fabric.memory.host.slab-size=8MB",
                    "fabric.memory.host.max-size=32MB");

    private final WebApplicationContextRunner secured = runner.withConfiguration(AutoConfigurations.of(
            SecurityAutoConfiguration.class,
            ServletWebSecurityAutoConfiguration.class,
            SecurityFilterAutoConfiguration.class,
            UserDetailsServiceAutoConfiguration.class));

    @RestController
    static class Application {

        @PostMapping("/orders")
        String order() {
            return "ordered";
        }

        @PostMapping("/fabric/v1x")
        String neighbour() {
            return "not the negotiation";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnChain {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().denyAll())
                    .build();
        }
    }

    private static int call(AssertableWebApplicationContext context, String method, String path)
            throws IOException, InterruptedException {
        int port = context.getSourceApplicationContext(AnnotationConfigServletWebServerApplicationContext.class)
                .getWebServer()
                .getPort();
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(20))
                .header("Content-Type", "application/json")
                .method(
                        method,
                        method.equals("POST")
                                ? HttpRequest.BodyPublishers.ofString("{}")
                                : HttpRequest.BodyPublishers.noBody());
        HttpResponse<String> answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (path.startsWith("/fabric/v1/")) {
            assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
        }
        return answer.statusCode();
    }

    /** The negotiation looks at the body itself, and finds that it is not complete. */
    private static void assertNegotiationAnswers(AssertableWebApplicationContext context) throws Exception {
        assertThat(call(context, "GET", "/fabric/v1/node")).isEqualTo(200);
        assertThat(call(context, "POST", "/fabric/v1/connections")).isEqualTo(400);
    }

    @Test
    void whenSpringBootProtectsTheApplicationThenItStillDoesAndTheNegotiationAnswers() {
        secured.run(context -> {
            assertNegotiationAnswers(context);
            assertThat(call(context, "GET", "/orders")).isEqualTo(401);
            assertThat(call(context, "POST", "/orders")).isEqualTo(403);
            assertThat(call(context, "POST", "/fabric/v1x")).isEqualTo(403);
            assertThat(context.getBeansOfType(SecurityFilterChain.class)).hasSize(2);
        });
    }

    @Test
    void whenTheApplicationHasItsOwnChainThenBothHold() {
        secured.withUserConfiguration(OwnChain.class).run(context -> {
            assertNegotiationAnswers(context);
            assertThat(call(context, "GET", "/orders")).isEqualTo(403);
            assertThat(context.getBeansOfType(SecurityFilterChain.class)).hasSize(2);
        });
    }

    @Test
    void whenThePathIsAnotherThenTheChainIsForThatPath() {
        secured.withPropertyValues("fabric.negotiation.path=/peers").run(context -> {
            assertThat(call(context, "GET", "/peers/node")).isEqualTo(200);
            assertThat(call(context, "GET", "/fabric/v1")).isEqualTo(401);
        });
    }

    @Test
    void whenSpringSecurityIsAbsentOrOffThenTheNegotiationAnswersToo() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .run(context -> {
                    assertNegotiationAnswers(context);
                    assertThat(call(context, "POST", "/orders")).isEqualTo(200);
                });
        runner.run(context -> {
            assertThat(context).doesNotHaveBean("fabricNegotiationSecurityFilterChain");
            assertNegotiationAnswers(context);
        });
    }
}

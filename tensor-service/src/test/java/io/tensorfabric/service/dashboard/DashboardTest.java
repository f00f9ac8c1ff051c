package io.tensorfabric.service.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.service.TensorServiceApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the page loads and asks for. {@code DashboardIT} sees it in a browser. */
class DashboardTest {

    private static final HttpClient http = HttpClient.newHttpClient();

    private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"]+)\"");

    private static final Consumer<HttpRequest.Builder> JSON = request ->
            request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString("{}"));

    private interface Calls {

        void run(String url) throws Exception;
    }

    private static void with(Calls calls, String... more) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("--server.address=127.0.0.1", "--server.port=0", "--fabric.provider=soft"));
        arguments.addAll(List.of(more));
        try (ConfigurableApplicationContext context =
                SpringApplication.run(TensorServiceApplication.class, arguments.toArray(String[]::new))) {
            calls.run("http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port"));
        }
    }

    private static HttpResponse<String> get(String url) throws IOException, InterruptedException {
        return send(url, HttpRequest.Builder::GET);
    }

    private static HttpResponse<String> send(String url, Consumer<HttpRequest.Builder> method)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        method.accept(request);
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> answer) {
        return JsonMapper.shared().readTree(answer.body());
    }

    @Test
    void whenThePageIsOpenedThenAllThatItLoadsIsOfThisService() throws Exception {
        with(url -> {
            HttpResponse<String> moved = get(url + "/fabric");
            assertThat(moved.statusCode()).isEqualTo(302);
            URI page = URI.create(url)
                    .resolve(moved.headers().firstValue("Location").orElseThrow());
            HttpResponse<String> answer = get(page.toString());
            assertThat(answer.body()).contains("default-src 'self'");
            Matcher links = LINK.matcher(answer.body());
            int loaded = 0;
            while (links.find()) {
                if (!links.group(1).startsWith("data:")) {
                    assertThat(get(page.resolve(links.group(1)).toString()).statusCode())
                            .as(links.group(1))
                            .isEqualTo(200);
                    assertThat(links.group(1)).doesNotContain("//");
                    loaded++;
                }
            }
            assertThat(loaded).isEqualTo(4);

            JsonNode state = json(get(url + "/fabric/state"));
            assertThat(state.at("/overview/provider/name").asString()).isEqualTo("soft");
            for (String part : List.of("pools", "topology", "transfers", "queuePairs", "completionQueues")) {
                assertThat(state.get(part).isObject()).as(part).isTrue();
            }

            assertThat(send(url + "/fabric/preflight/nobody", JSON).statusCode())
                    .isEqualTo(200);
            HttpResponse<String> form = send(
                    url + "/fabric/preflight/nobody",
                    request -> request.header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(HttpRequest.BodyPublishers.ofString("")));
            assertThat(form.statusCode()).isEqualTo(415);
        });
    }

    @Test
    void whenEndpointsAreNotExposedThenThePageSeesNothingOfThem() throws Exception {
        with(
                url -> {
                    JsonNode state = json(get(url + "/fabric/state"));
                    assertThat(state.get("overview").isNull()).isTrue();
                    assertThat(state.get("transfers").isNull()).isTrue();
                    assertThat(state.get("queuePairs").isObject()).isTrue();
                    assertThat(send(url + "/fabric/preflight/b", JSON).statusCode())
                            .isEqualTo(404);
                },
                "--management.endpoints.web.exposure.include=health,queuepairs");
    }

    @Test
    void whenThePageIsSwitchedOffThenNothingOfItIsThere() throws Exception {
        with(
                url -> {
                    assertThat(get(url + "/fabric").statusCode()).isEqualTo(404);
                    assertThat(get(url + "/fabric/state").statusCode()).isEqualTo(404);
                    assertThat(get(url + "/fabric/page/index.html").statusCode())
                            .isEqualTo(404);
                    assertThat(send(url + "/fabric/preflight/b", JSON).statusCode())
                            .isEqualTo(404);
                },
                "--tensor-service.dashboard.enabled=false");
    }
}

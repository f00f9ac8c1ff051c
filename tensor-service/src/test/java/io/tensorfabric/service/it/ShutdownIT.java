package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Case S12: what is under way ends, new work is refused, and the process is gone in time. */
@Timeout(300)
class ShutdownIT {

    private static final int PUSHES = 10;

    private static final int SIGTERM = 143;

    private final ExecutorService threads = Executors.newFixedThreadPool(PUSHES + 1);

    @TempDir
    Path folder;

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private List<CompletableFuture<HttpResponse<String>>> pushAll(TwoServices services, String file) {
        List<CompletableFuture<HttpResponse<String>>> pushes = new ArrayList<>();
        for (int i = 0; i < PUSHES; i++) {
            pushes.add(CompletableFuture.supplyAsync(() -> push(services.a(), file), threads));
        }
        await().until(() -> services.a().get("/api/pushes").size() == PUSHES);
        return pushes;
    }

    private static HttpResponse<String> push(ServiceProcess service, String file) {
        try {
            return service.push(file, "{\"peer\": \"b\", \"deadline\": \"120s\"}", true);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String file(TwoServices services, long bytes) throws IOException, InterruptedException {
        Path file = folder.resolve("model.safetensors");
        SafetensorsGenerator.generate(file, bytes, 7);
        return services.upload("model", file);
    }

    private static String[] options(String phaseTimeout) {
        return new String[] {
            // The slower way, so that pushes last until the service is told to end.
            "--fabric.memory.host.shared=false",
            "--fabric.memory.host.max-size=2GB",
            "--fabric.landing.max-dedicated-size=1GB",
            "--fabric.landing.max-dedicated-size-per-peer=1GB",
            "--tensor-service.push.window=1",
            "--spring.lifecycle.timeout-per-shutdown-phase=" + phaseTimeout
        };
    }

    @Test
    void whenTheSenderIsToldToEndThenItsPushesFinishAndNewOnesAreRefused() throws Exception {
        try (TwoServices services = TwoServices.start(folder, options("60s"))) {
            String file = file(services, 96L << 20);
            List<CompletableFuture<HttpResponse<String>>> pushes = pushAll(services, file);
            assertThat(pushes).as("under way").anyMatch(push -> !push.isDone());
            CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(() -> terminate(services.a()), threads);
            List<HttpResponse<String>> refused = new ArrayList<>();
            boolean outOfService = false;
            while (!exit.isDone()) {
                try {
                    HttpResponse<String> answer = services.a().push(file, "{\"peer\": \"b\"}", false);
                    if (answer.statusCode() == 503) {
                        refused.add(answer);
                    }
                    outOfService |= services.a()
                                    .call(services.a()
                                            .request("/actuator/health/readiness")
                                            .GET())
                                    .statusCode()
                            == 503;
                } catch (IOException e) {
                    // The web server is gone; had it not waited for the pushes, these would fail below.
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
            assertThat(exit.get()).isEqualTo(SIGTERM);
            for (CompletableFuture<HttpResponse<String>> push : pushes) {
                assertThat(push.get().statusCode()).as(push.get().body()).isEqualTo(200);
            }
            assertThat(refused).isNotEmpty().allSatisfy(answer -> {
                assertThat(answer.headers().firstValue("Retry-After")).isPresent();
                assertThat(answer.body()).contains("shutting down");
            });
            assertThat(outOfService).isTrue();
            // The receiver was told, rather than finding out by silence.
            assertThat(services.b().log()).doesNotContain("is lost");
            assertThat(services.b().get("/actuator/queuepairs").get("connections"))
                    .isEmpty();
        }
    }

    @Test
    void whenPushesTakeLongerThanAPhaseThenTheyFailWithTheReasonAndTheProcessEndsInTime() throws Exception {
        try (TwoServices services = TwoServices.start(folder, options("1s"))) {
            String file = file(services, 256L << 20);
            List<CompletableFuture<HttpResponse<String>>> pushes = pushAll(services, file);
            long begin = System.nanoTime();
            assertThat(terminate(services.a())).isEqualTo(SIGTERM);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
            int cut = 0;
            for (CompletableFuture<HttpResponse<String>> push : pushes) {
                HttpResponse<String> answer = push.get();
                if (answer.statusCode() != 200) {
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
                    assertThat(answer.body()).contains("shutting down");
                    cut++;
                }
            }
            assertThat(cut).isPositive();
            try (var crashes = Files.list(Path.of("."))) {
                assertThat(crashes)
                        .noneMatch(path -> path.getFileName().toString().startsWith("hs_err"));
            }
        }
    }

    @Test
    void whenTheReceiverIsToldToEndThenTheSenderHearsSoAndReachesTheNextOne() throws Exception {
        try (TwoServices services = TwoServices.start(folder, options("10s"))) {
            String file = file(services, 16L << 20);
            services.push(file);
            assertThat(services.b().terminate()).isEqualTo(SIGTERM);
            HttpResponse<String> down = push(services.a(), file);
            assertThat(down.statusCode()).as(down.body()).isIn(502, 503);
            services.restartB();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> push(services.a(), file).statusCode() == 200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ":: Spring Boot ::",
                "Starting TensorServiceApplication",
                "Tomcat initialized",
                "Exposing ",
                "Fabric node b",
                "Tomcat started"
            })
    void whenItIsToldToEndWhileItStartsThenItEndsInTimeAndLeavesNothing(String moment) throws Exception {
        Path log = Files.createTempFile(folder, "service", ".log");
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        List<String> command = ServiceProcess.command("b", "-Djava.io.tmpdir=" + temporary);
        Process process = ServiceProcess.builder(command, log).start();
        try {
            await().atMost(Duration.ofSeconds(90))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> Files.readString(log).contains(moment));
            process.destroy();
            assertThat(process.waitFor(30, TimeUnit.SECONDS))
                    .as("ends; it printed:%n%s", Files.readString(log))
                    .isTrue();
            assertThat(process.exitValue()).as(Files.readString(log)).isEqualTo(SIGTERM);
            try (var left = Files.list(temporary)) {
                assertThat(left.filter(path -> !path.getFileName().toString().startsWith("hsperfdata")))
                        .as("temporary files")
                        .isEmpty();
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static int terminate(ServiceProcess service) {
        try {
            return service.terminate();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

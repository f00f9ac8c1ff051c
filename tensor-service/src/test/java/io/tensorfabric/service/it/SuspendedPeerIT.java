package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer that is stopped for a while, as by a debugger or a frozen container, while others are pushed to. */
@Timeout(240)
class SuspendedPeerIT {

    private static final Duration DEADLINE = Duration.ofSeconds(15);

    @TempDir
    Path folder;

    @Test
    void whenAPeerIsSuspendedThenPushesToItEndInTimeOthersGoOnAndItIsReachedAfterwards() throws Exception {
        Path file = folder.resolve("model.safetensors");
        SafetensorsGenerator.generate(file, 1 << 20, 7);
        try (ServiceProcess b = ServiceProcess.start(folder, "b");
                ServiceProcess c = ServiceProcess.start(folder, "c");
                ServiceProcess a = ServiceProcess.start(
                        folder,
                        "a",
                        "--fabric.peers[0].name=b",
                        "--fabric.peers[0].url=" + b.url(),
                        "--fabric.peers[1].name=c",
                        "--fabric.peers[1].url=" + c.url())) {
            String id = ServiceProcess.json(ServiceProcess.ok(a.upload("model", file)))
                    .at("/file/id")
                    .asString();
            assertThat(push(a, id, "b").statusCode()).isEqualTo(200);
            assertThat(push(a, id, "c").statusCode()).isEqualTo(200);
            b.suspend();
            try {
                long begin = System.nanoTime();
                CompletableFuture<HttpResponse<String>> lost = CompletableFuture.supplyAsync(() -> push(a, id, "b"));
                int others = 0;
                while (!lost.isDone()) {
                    HttpResponse<String> other = push(a, id, "c");
                    assertThat(other.statusCode()).as(other.body()).isEqualTo(200);
                    others++;
                }
                assertThat(lost.get().statusCode()).as(lost.get().body()).isIn(502, 504);
                assertThat(lost.get().body()).contains("'b'");
                Duration took = Duration.ofNanos(System.nanoTime() - begin);
                System.out.printf(
                        "a push to a suspended peer ended after %d ms, %d pushes to another went well%n",
                        took.toMillis(), others);
                assertThat(took).isLessThan(DEADLINE.plusSeconds(2));
                assertThat(others).isPositive();
            } finally {
                b.resume();
            }
            long resumed = System.nanoTime();
            await().atMost(Duration.ofSeconds(40))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> push(a, id, "b").statusCode() == 200);
            System.out.printf(
                    "recovery: peer suspended: %d ms%n", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - resumed));
        }
    }

    private static HttpResponse<String> push(ServiceProcess a, String id, String peer) {
        try {
            return a.push(id, "{\"peer\": \"" + peer + "\", \"deadline\": \"" + DEADLINE.toSeconds() + "s\"}", true);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

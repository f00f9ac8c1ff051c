package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class KilledPeerIT {

    /** Enough to last until the kill; the guest has less memory. */
    private static final long FILE_BYTES = Long.getLong("service.killed.bytes", 512L << 20);

    private static final Duration DEADLINE = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @Test
    void whenThePeerIsKilledDuringAPushThenThePushFailsInTimeAndANewPeerIsReached() throws Exception {
        Path file = folder.resolve("model.safetensors");
        SafetensorsGenerator.generate(file, FILE_BYTES, 7);
        String[] limits = {
            "--fabric.memory.host.max-size=2GB",
            "--fabric.landing.max-dedicated-size=1GB",
            "--fabric.landing.max-dedicated-size-per-peer=1GB",
        };
        try (TwoServices services = TwoServices.start(folder, limits)) {
            ServiceProcess a = services.a();
            String id = services.upload("model", file);
            services.push(smallFile(services));
            long inUse = poolInUse(a);

            String push = pushUntilUnderWay(a, id);
            services.b().kill();

            JsonNode ended = await().atMost(DEADLINE.plusSeconds(5))
                    .until(
                            () -> a.get("/api/pushes/" + push),
                            view -> !view.get("state").asString().equals("RUNNING"));
            assertThat(ended.get("state").asString()).isEqualTo("FAILED");
            assertThat(ended.get("error").asString()).contains("'b'").containsPattern("[A-Z_]{3,}_ERR");
            assertThat(ended.get("millis").asDouble()).isLessThan(DEADLINE.toMillis() + 2000);
            assertThat(a.get("/actuator/health").get("status").asString()).isEqualTo("UP");
            await().atMost(Duration.ofSeconds(10)).until(() -> poolInUse(a) <= inUse);

            services.restartB();
            services.push(id);
            assertThat(services.b()
                            .get("/api/files/" + services.received("model"))
                            .at("/file/tensors")
                            .asInt())
                    .isEqualTo(a.get("/api/files/" + id).at("/file/tensors").asInt());
        }
    }

    private String smallFile(TwoServices services) throws IOException, InterruptedException {
        Path small = folder.resolve("small.safetensors");
        SafetensorsGenerator.generate(small, 16 * 1024, 1);
        return services.upload("small", small);
    }

    private static String pushUntilUnderWay(ServiceProcess a, String file) throws IOException, InterruptedException {
        String body = "{\"peer\": \"b\", \"deadline\": \"" + DEADLINE.toSeconds() + "s\"}";
        String push = ServiceProcess.json(ServiceProcess.ok(a.push(file, body, false)))
                .get("id")
                .asString();
        await().pollInterval(Duration.ofMillis(2))
                .atMost(DEADLINE)
                .until(() -> a.get("/api/pushes/" + push).get("bytesDone").asLong() > 0);
        return push;
    }

    /** Bytes leased out of A's pool. */
    private static long poolInUse(ServiceProcess a) throws IOException, InterruptedException {
        return a.get("/actuator/metrics/fabric.pool.used")
                .at("/measurements/0/value")
                .asLong();
    }
}

package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.service.demo.TensorStreams;
import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Two services on two RDMA devices, while the link between these is down or bad. */
@Timeout(600)
@EnabledIfSystemProperty(named = "service.guest", matches = "true", disabledReason = "runs in the Soft-RoCE guest")
class LinkFaultsIT {

    private static final long FILE_BYTES = 4L << 20;

    private static final Duration DOWN = Duration.ofSeconds(3);

    /** The guest has one slow processor. */
    private static final Duration BACK = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @AfterEach
    void mend() throws Exception {
        Cable.set("up eth0");
        Cable.set("up eth1");
        Cable.set("quality eth0");
        Cable.set("quality eth1");
    }

    private String upload(TwoServices services, String name) throws IOException, InterruptedException {
        Path file = folder.resolve(name);
        SafetensorsGenerator.generate(file, FILE_BYTES, 5);
        return services.upload(name, file);
    }

    private void assertArrived(TwoServices services, String name) throws IOException, InterruptedException {
        try (InputStream sent = Files.newInputStream(folder.resolve(name));
                InputStream received = services.b().download(services.received(name))) {
            assertThat(TensorStreams.hashes(received)).isEqualTo(TensorStreams.hashes(sent));
        }
    }

    private static HttpResponse<String> tryPush(TwoServices services, String file, String deadline)
            throws IOException, InterruptedException {
        return services.a().push(file, "{\"peer\": \"b\", \"deadline\": \"" + deadline + "\"}", true);
    }

    private static Set<String> queuePairs(ServiceProcess service) throws IOException, InterruptedException {
        Set<String> numbers = new TreeSet<>();
        service.get("/actuator/queuepairs")
                .get("connections")
                .forEach(connection -> connection
                        .get("lanes")
                        .forEach(lane -> numbers.add(lane.get("number").asString())));
        return numbers;
    }

    @Test
    void whenTheLinkWasDownThenPushesFailInTimeAndTensorsArriveSoonAfterItIsUpOverNewQueuePairs() throws Exception {
        try (TwoServices services = TwoServices.start(folder)) {
            String file = upload(services, "model");
            services.push(file);
            Set<String> before = queuePairs(services.a());
            assertThat(before).isNotEmpty();

            Cable.set("down eth0");
            long down = System.nanoTime();
            HttpResponse<String> failed = tryPush(services, file, "2s");
            assertThat(failed.statusCode()).as(failed.body()).isGreaterThanOrEqualTo(500);
            assertThat(Duration.ofNanos(System.nanoTime() - down)).isLessThan(Duration.ofSeconds(6));
            TimeUnit.NANOSECONDS.sleep(DOWN.toNanos() - (System.nanoTime() - down));
            Cable.set("up eth0");

            long up = System.nanoTime();
            await().atMost(BACK)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> tryPush(services, file, "10s").statusCode() == 200);
            System.out.printf("tensors arrive %d ms after the link is up%n", (System.nanoTime() - up) / 1_000_000);
            assertArrived(services, "model");
            assertThat(queuePairs(services.a())).isNotEmpty().doesNotContainAnyElementsOf(before);
            assertThat(services.a().log()).contains("PORT_ERR", "PORT_ACTIVE");
            assertThat(services.b().log()).contains("PORT_ERR", "PORT_ACTIVE");
        }
    }

    @Test
    void whenPacketsAreLostAndLateThenEveryByteArrives() throws Exception {
        try (TwoServices services = TwoServices.start(folder)) {
            services.push(upload(services, "first"));
            String file = upload(services, "model");
            Cable.set("quality eth0 delay 10ms loss 1%");
            Cable.set("quality eth1 delay 10ms loss 1%");
            long begin = System.nanoTime();
            HttpResponse<String> pushed = tryPush(services, file, "120s");
            assertThat(pushed.statusCode()).as(pushed.body()).isEqualTo(200);
            System.out.printf(
                    "%d bytes took %d ms with a hundredth of the packets lost, and the others 10 ms late%n",
                    FILE_BYTES, (System.nanoTime() - begin) / 1_000_000);
            assertArrived(services, "model");
        }
    }

    @Test
    void whenNothingPassesThenTheDeviceGivesUpAndTensorsArriveSoonAfterItDoes() throws Exception {
        try (TwoServices services = TwoServices.start(folder)) {
            String file = upload(services, "model");
            services.push(file);
            Cable.set("quality eth0 loss 100%");
            HttpResponse<String> failed = tryPush(services, file, "3s");
            assertThat(failed.statusCode()).as(failed.body()).isGreaterThanOrEqualTo(500);
            Cable.set("quality eth0");
            long good = System.nanoTime();
            await().atMost(BACK)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> tryPush(services, file, "10s").statusCode() == 200);
            System.out.printf("tensors arrive %d ms after packets pass%n", (System.nanoTime() - good) / 1_000_000);
            assertArrived(services, "model");
        }
    }
}

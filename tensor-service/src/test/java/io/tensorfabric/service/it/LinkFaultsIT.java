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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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

    private static final Duration EVERY = Duration.ofSeconds(1);

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
        return upload(services, name, FILE_BYTES);
    }

    private String upload(TwoServices services, String name, long bytes) throws IOException, InterruptedException {
        Path file = folder.resolve(name);
        SafetensorsGenerator.generate(file, bytes, 5);
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

    /** A push of a series, with when it began and ended. */
    private record Attempt(long begin, long end, boolean arrived) {}

    /** Pushes a file each second, as long as the test goes on. */
    private static List<Attempt> pushOn(TwoServices services, String file, AtomicBoolean stop, List<Attempt> attempts)
            throws IOException, InterruptedException {
        while (!stop.get()) {
            long begin = System.nanoTime();
            boolean arrived = tryPush(services, file, "2s").statusCode() == 200;
            attempts.add(new Attempt(begin, System.nanoTime(), arrived));
            TimeUnit.NANOSECONDS.sleep(EVERY.toNanos() - (System.nanoTime() - begin));
        }
        return attempts;
    }

    private static void awaitArrivals(List<Attempt> attempts, int count) {
        int before = attempts.size();
        await().atMost(BACK)
                .until(() -> attempts.size() >= before + count
                        && attempts.subList(attempts.size() - count, attempts.size()).stream()
                                .allMatch(Attempt::arrived));
    }

    @Test
    void whenTheLinkWasDownWhileAMebibyteASecondIsPushedThenPushesFailOnlyMeanwhileAndNewQueuePairsFollow()
            throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<Attempt> attempts = new CopyOnWriteArrayList<>();
        try (TwoServices services = TwoServices.start(folder)) {
            String file = upload(services, "model", 1L << 20);
            services.push(file);
            Set<String> before = queuePairs(services.a());
            assertThat(before).isNotEmpty();
            CompletableFuture<List<Attempt>> pushing = CompletableFuture.supplyAsync(() -> {
                try {
                    return pushOn(services, file, stop, attempts);
                } catch (IOException | InterruptedException e) {
                    throw new CompletionException(e);
                }
            });
            awaitArrivals(attempts, 3);

            Cable.set("down eth0");
            long down = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(DOWN.toNanos());
            Cable.set("up eth0");
            long up = System.nanoTime();
            awaitArrivals(attempts, 3);
            stop.set(true);

            List<Attempt> all = pushing.get(30, TimeUnit.SECONDS);
            long first = all.stream()
                    .filter(attempt -> attempt.arrived() && attempt.end() > up)
                    .mapToLong(Attempt::end)
                    .min()
                    .orElseThrow();
            System.out.printf("tensors arrive %d ms after the link is up%n", (first - up) / 1_000_000);
            assertThat(all).anyMatch(attempt -> !attempt.arrived());
            assertThat(all)
                    .filteredOn(attempt -> !attempt.arrived())
                    .allMatch(attempt -> attempt.end() > down && attempt.begin() < first);
            assertArrived(services, "model");
            assertThat(queuePairs(services.a())).isNotEmpty().doesNotContainAnyElementsOf(before);
            assertThat(services.a().log()).contains("PORT_ERR", "PORT_ACTIVE");
            assertThat(services.b().log()).contains("PORT_ERR", "PORT_ACTIVE");
        } finally {
            stop.set(true);
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

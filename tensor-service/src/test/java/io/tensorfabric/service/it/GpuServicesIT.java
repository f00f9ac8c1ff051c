package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** From GPU to GPU between processes of one host. */
class GpuServicesIT extends GpuServices {

    @Test
    void whenServicesOfOneHostPushFromGpuToGpuThenTheGpuCopiesByCudaIpc() throws Exception {
        Path file = model(SMALL);
        try (ServiceProcess other = start("b", 1, "", "--fabric.landing.memory=auto");
                ServiceProcess same = start("c", 0, "", "--fabric.landing.memory=cuda:0");
                ServiceProcess a = start(
                        "a", 0, "", peer(other, "--fabric.peers[1].name=c", "--fabric.peers[1].url=" + same.url()))) {
            String id = upload(a, file, "cuda:0");
            assertMemory(a, id, "cuda:0");
            for (ServiceProcess receiver : List.of(other, same)) {
                String name = receiver == other ? "b" : "c";

                assertPaths(push(a, id, name), "CUDA_IPC");

                assertMemory(receiver, received(receiver), "cuda:0");
                assertSame(receiver, received(receiver), file);
                JsonNode decision = ipc(a, name);
                assertThat(decision.get("state").asString()).isEqualTo("ON");
                assertThat(decision.get("memoryKind").asString()).isEqualTo("cuda:0");
                assertThat(decision.get("reason").asString()).isNotBlank();
            }
            assertThat(bytesBy(a, "cuda_ipc")).isPositive();
            assertNoHandle(a, other, same);
        }
    }

    /** A handle has 88 characters in Base64. */
    private static void assertNoHandle(ServiceProcess... services) throws IOException, InterruptedException {
        for (ServiceProcess service : services) {
            String all = service.log()
                    + service.text("/actuator/fabric")
                    + service.text("/actuator/queuepairs")
                    + service.text("/actuator/fabric/transfers");
            assertThat(all).doesNotContainPattern("[A-Za-z0-9+/]{86}==");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', off, auto, cuda:0",
        "'', auto, host, host",
        "ipc=0, auto, cuda:0, cuda:0",
    })
    void whenCudaIpcDoesNotServeThenTheDeviceReachesTheGpusAndTheReasonIsShown(
            String stubOfA, String ipc, String landing, String memory) throws Exception {
        Path file = model(SMALL);
        try (ServiceProcess b = start("b", 1, "", "--fabric.landing.memory=" + landing);
                ServiceProcess a = start("a", 0, stubOfA, peer(b, "--fabric.gpu.ipc=" + ipc))) {
            String id = upload(a, file, "cuda:0");

            assertPaths(push(a, id, "b"), "GPU_DIRECT");

            assertMemory(b, received(b), memory);
            assertSame(b, received(b), file);
            if (ipc.equals("off")) {
                JsonNode step = preflightStep(a, "b", "ladder", "GPU direct");
                assertThat(step.get("outcome").asString()).as(step.toString()).isEqualTo("OK");
                assertThat(step.get("detail").asString()).contains("from cuda:0 by ", "arrived whole by gpu_direct");
                assertThat(a.get("/actuator/fabric").at("/gpu/cudaIpc").size()).isZero();
            } else {
                assertThat(ipc(a, "b").get("state").asString()).isEqualTo("OFF");
                assertThat(ipc(a, "b").get("reason").asString())
                        .contains(landing.equals("host") ? "host memory" : "cuIpcOpenMemHandle");
                assertThat(b.get("/actuator/fabric").at("/gpu/cudaIpcWaiting").asLong())
                        .isZero();
            }
        }
    }

    @Test
    void whenUploadsNameTheirMemoryThenTheyLieThere() throws Exception {
        Path file = model(100_000);
        try (ServiceProcess a = start("a", 0, "", "--fabric.landing.memory=host")) {
            for (String memory : List.of("cuda:0", "host")) {
                String id = upload(a, file, memory);
                assertMemory(a, id, memory);
                assertSame(a, id, file);
            }
            assertMemory(a, upload(a, file, "auto"), "host");
            HttpResponse<String> refused = a.upload("m", "cuda:7", HttpRequest.BodyPublishers.ofFile(file));
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("cuda:7");
        }
        try (ServiceProcess a = start("a", 0, "", "--fabric.landing.memory=auto")) {
            assertMemory(a, upload(a, file, "auto"), "cuda:0");
        }
    }

    @Test
    void whenTheReceiverIsKilledThenItsSuccessorGetsTheTensorsByCudaIpc() throws Exception {
        Path file = model(SMALL);
        try (ServiceProcess b = start("b", 1, "", "--fabric.landing.memory=auto");
                ServiceProcess a = start("a", 0, "", peer(b))) {
            String id = upload(a, file, "cuda:0");
            assertPaths(push(a, id, "b"), "CUDA_IPC");
            b.kill();
            try (ServiceProcess again =
                    start("b", 1, "", "--fabric.landing.memory=auto", "--server.port=" + b.port())) {
                assertPaths(push(a, id, "b"), "CUDA_IPC");
                assertSame(again, received(again), file);
            }
        }
    }

    @Test
    void whenTheSenderIsKilledDuringItsCopiesThenTheReceiversMemoryIsFreeAgain() throws Exception {
        Path file = oneTensor(5_000_000);
        try (ServiceProcess b = start("b", 1, "", "--fabric.landing.memory=auto");
                // Each work of the GPU takes a second.
                ServiceProcess a = start("a", 0, "delay-us=1000000", peer(b))) {
            String id = upload(a, file, "cuda:0");
            ServiceProcess.ok(a.push(id, "{\"peer\": \"b\", \"deadline\": \"60s\"}", false));
            await().atMost(PATIENCE).until(() -> a.log().contains("by CUDA IPC"));
            a.kill();

            await().atMost(PATIENCE)
                    .until(() -> b.get("/actuator/fabric").at("/connections").isEmpty());
            await().atMost(PATIENCE)
                    .until(() ->
                            b.get("/actuator/fabric").at("/gpu/cudaIpcWaiting").asLong() == 0);
            assertThat(b.get("/actuator/health").get("status").asString()).isEqualTo("UP");
            try (ServiceProcess again = start("a", 0, "", peer(b))) {
                assertPaths(push(again, upload(again, file, "cuda:0"), "b"), "CUDA_IPC");
                assertSame(b, received(b), file);
            }
        }
    }

    @Test
    void whenTheReceiverEndsInOrderThenTheSenderClosesItsMemoryFirst() throws Exception {
        Path file = model(SMALL);
        try (ServiceProcess b = start("b", 1, "", "--fabric.landing.memory=auto");
                ServiceProcess a = start("a", 0, "", peer(b))) {
            String id = upload(a, file, "cuda:0");
            assertPaths(push(a, id, "b"), "CUDA_IPC");

            assertThat(b.terminate()).isEqualTo(143);

            assertThat(b.log()).doesNotContain("may still be open in other processes");
            await().atMost(PATIENCE)
                    .until(() -> a.get("/actuator/fabric").at("/gpu/cudaIpc").isEmpty());
        }
    }
}

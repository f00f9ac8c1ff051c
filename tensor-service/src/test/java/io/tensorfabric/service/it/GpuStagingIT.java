package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Between GPUs that no device reaches, through pinned host memory: on the software device, and in the guest on RDMA devices,
 * where that memory is registered with them.
 */
class GpuStagingIT extends GpuServices {

    private static final String NO_DIRECT_PATH = "dmabuf=0,peermem=0";

    @Test
    void whenNoDeviceReachesTheGpusThenTensorsAreStagedAtBothEnds() throws Exception {
        Path small = model(100_000);
        Path large = model(20_000_000);
        try (ServiceProcess b = start("b", 1, NO_DIRECT_PATH, "--fabric.landing.memory=cuda:0");
                ServiceProcess a = start("a", 0, NO_DIRECT_PATH, peer(b, "--fabric.gpu.ipc=off"))) {
            for (Path file : List.of(small, large)) {
                String id = upload(a, file, "cuda:0");
                assertMemory(a, id, "cuda:0");

                assertPaths(push(a, id, "b"), "HOST_STAGED");

                assertMemory(b, received(b), "cuda:0");
                assertSame(b, received(b), file);
            }
            JsonNode step = preflightStep(a, "b", "ladder", "GPU direct");
            assertThat(step.get("outcome").asString()).as(step.toString()).isEqualTo("WARN");
            assertThat(step.get("detail").asString()).contains("from cuda:0 by STAGING", "by host_staged");
            assertThat(step.get("remedy").asString()).contains("nvidia_peermem");
            JsonNode gpu = a.get("/actuator/fabric").at("/gpu/devices/0");
            assertThat(gpu.get("path").asString()).isEqualTo("STAGING");
            assertThat(gpu.get("reason").asString()).contains("dma-buf: ").contains("peer memory: ");
            assertThat(bytesBy(a, "host_staged")).isGreaterThan(20_000_000);
        }
    }
}

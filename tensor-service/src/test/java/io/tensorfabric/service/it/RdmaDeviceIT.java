package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a service tells of a kernel RDMA device: {@code rxe1} of the Soft-RoCE guest. */
@EnabledIfSystemProperty(named = "service.guest", matches = "true", disabledReason = "runs in the Soft-RoCE guest")
class RdmaDeviceIT {

    @TempDir
    Path folder;

    @Test
    void whenStartedThenActuatorShowsTheDeviceAndWhyItsGidWasChosen() throws Exception {
        try (ServiceProcess service = ServiceProcess.start(folder, "b")) {
            JsonNode fabric = service.get("/actuator/fabric");
            assertThat(fabric.at("/provider/name").asString()).isEqualTo("ibverbs");
            JsonNode device = fabric.get("device");
            assertThat(device.get("name").asString()).isEqualTo("rxe1");
            assertThat(device.get("portState").asString()).isEqualTo("ACTIVE");
            assertThat(device.get("activeMtu").asInt()).isEqualTo(4096);
            assertThat(device.get("memoryWindows").asString()).contains("does not enforce their bounds");
            JsonNode gid = device.get("gid");
            assertThat(gid.get("index").asInt()).isEqualTo(1);
            assertThat(gid.get("type").asString()).isEqualTo("ROCE_V2");
            assertThat(gid.get("candidates")).hasSize(2);
            JsonNode rejected = gid.get("candidates").get(0);
            assertThat(rejected.get("chosen").asBoolean()).isFalse();
            assertThat(rejected.get("reason").asString()).isEqualTo("link-local");
            assertThat(rejected.get("networkDevice").asString()).isEqualTo("eth1");
        }
    }
}

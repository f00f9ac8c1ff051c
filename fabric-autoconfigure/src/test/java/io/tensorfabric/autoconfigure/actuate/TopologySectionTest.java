package io.tensorfabric.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.topology.Distance;
import io.tensorfabric.topology.GpuPairing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TopologySectionTest {

    @TempDir
    private Path sysfs;

    private ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        FabricAutoConfiguration.class,
                        FabricDiscoveryAutoConfiguration.class,
                        FabricEndpointAutoConfiguration.class,
                        FabricNegotiationClientAutoConfiguration.class,
                        FabricResilienceAutoConfiguration.class))
                .withPropertyValues(
                        "fabric.provider=soft",
                        "fabric.gpu.enabled=false",
                        "fabric.memory.host.slab-size=8MB",
                        "fabric.memory.host.max-size=32MB",
                        "fabric.diagnostics.sysfs=" + sysfs);
    }

    private Path device(String folder, String vendor, String pciClass) throws IOException {
        Path path = Files.createDirectories(sysfs.resolve("devices").resolve(folder));
        Files.writeString(path.resolve("vendor"), vendor + "\n");
        Files.writeString(path.resolve("class"), pciClass + "\n");
        Files.writeString(path.resolve("numa_node"), "0\n");
        Files.writeString(path.resolve("current_link_speed"), "8.0 GT/s PCIe\n");
        Files.writeString(path.resolve("max_link_speed"), "16.0 GT/s PCIe\n");
        Files.writeString(path.resolve("current_link_width"), "16\n");
        Files.writeString(path.resolve("max_link_width"), "16\n");
        Path all = Files.createDirectories(sysfs.resolve("bus/pci/devices"));
        Files.createSymbolicLink(all.resolve(path.getFileName()), path);
        return path;
    }

    @Test
    void whenTheMachineHasCardAndGpuThenTheirPlacesPathsAndWarningsAreTold() throws IOException {
        device("pci0000:00/0000:00:01.0/0000:01:00.0", "0x10de", "0x030000");
        Path card = device("pci0000:00/0000:00:02.0/0000:02:00.0", "0x15b3", "0x020000");
        Files.createDirectories(card.resolve("net/eth1"));
        Files.createSymbolicLink(
                Files.createDirectories(sysfs.resolve("class/infiniband/soft0")).resolve("device"), card);
        runner().run(context -> {
            TopologyView view =
                    (TopologyView) context.getBean(FabricInspector.class).section("topology");
            assertThat(view).isNotNull();
            assertThat(view.decision()).isEqualTo("soft0: the only one");
            assertThat(view.cards()).singleElement().satisfies(found -> {
                assertThat(found.inUse()).isTrue();
                assertThat(found.pciAddress()).isEqualTo("0000:02:00.0");
                assertThat(found.link()).isEqualTo(new TopologyView.Link(8, 16, 16, 16));
                assertThat(found.networkInterfaces()).containsExactly("eth1");
            });
            assertThat(view.gpus()).singleElement().satisfies(found -> {
                assertThat(found.inUse()).isFalse();
                assertThat(found.nearestCard()).isEqualTo("soft0");
            });
            assertThat(view.paths()).singleElement().satisfies(path -> {
                assertThat(path.distance()).isEqualTo(Distance.PHB);
                assertThat(path.acs()).isEqualTo(GpuPairing.Acs.UNKNOWN);
            });
            assertThat(view.warnings()).singleElement().asString().contains("PCIe link of soft0 runs at 8.0 GT/s");
            JsonNode json = JsonMapper.shared().valueToTree(view);
            assertThat(json.at("/paths/0/distance").asString()).isEqualTo("PHB");
            assertThat(json.at("/cards/0/link/maxSpeed").asDouble()).isEqualTo(16.0);
        });
    }

    @Test
    void whenTheMachineTellsNothingThenTheSectionIsEmptyButThere() {
        runner().run(context -> {
            TopologyView view =
                    (TopologyView) context.getBean(FabricInspector.class).section("topology");
            assertThat(view).isNotNull();
            assertThat(view.cards()).isEmpty();
            assertThat(view.warnings()).isEmpty();
        });
    }
}

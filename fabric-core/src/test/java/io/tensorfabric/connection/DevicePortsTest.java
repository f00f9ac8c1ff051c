package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.topology.CardRanking;
import io.tensorfabric.topology.Sysfs;
import io.tensorfabric.topology.Topology;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftFaults;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which device is taken, and the reasons told. */
class DevicePortsTest {

    private static final String GPU = "0000:81:00.0";

    @TempDir
    private Path sysfs;

    /** The devices of one software provider each, so that they have names of their own. */
    private record Cards(List<VerbsDevice> devices) implements VerbsProvider {

        static Cards of(String... names) {
            return new Cards(Stream.of(names)
                    .map(name -> new SoftVerbsProvider(
                                    SoftDeviceOptions.builder().name(name).build())
                            .devices()
                            .get(0))
                    .toList());
        }

        @Override
        public String name() {
            return "soft";
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public @Nullable Throwable unavailabilityCause() {
            return null;
        }
    }

    /** Refuses to be opened, so that it must not be looked at. */
    private record Untouchable(String name) implements VerbsDevice {

        @Override
        public VerbsContext open() {
            throw new AssertionError(name + " was opened");
        }
    }

    /** A card whose port is down. */
    private record Unplugged(VerbsDevice card, SoftFaults faults) implements VerbsDevice {

        @Override
        public String name() {
            return card.name();
        }

        @Override
        public VerbsContext open() {
            VerbsContext context = card.open();
            faults.setPortState(1, PortState.DOWN);
            return context;
        }
    }

    private void hang(String folder, String address) throws IOException {
        Path device = Files.createDirectories(sysfs.resolve("devices/" + folder + "/" + address));
        Path devices = Files.createDirectories(sysfs.resolve("bus/pci/devices"));
        Files.createSymbolicLink(devices.resolve(address), device);
    }

    private void card(String name, String folder, String address) throws IOException {
        hang(folder, address);
        Files.createSymbolicLink(
                Files.createDirectories(sysfs.resolve("class/infiniband/" + name))
                        .resolve("device"),
                sysfs.resolve("devices/" + folder + "/" + address));
    }

    private CardRanking ranking() throws IOException {
        Files.createDirectories(sysfs.resolve("devices/system/node/node0"));
        Files.createDirectories(sysfs.resolve("devices/system/node/node1"));
        hang("pci0000:80/0000:80:01.0", GPU);
        Path gpu = sysfs.resolve("devices/pci0000:80/0000:80:01.0/" + GPU);
        Files.writeString(gpu.resolve("vendor"), "0x10de\n");
        Files.writeString(gpu.resolve("class"), "0x030200\n");
        card("far0", "pci0000:00/0000:00:01.0", "0000:01:00.0");
        card("near0", "pci0000:80/0000:80:02.0", "0000:82:00.0");
        card("near1", "pci0000:80/0000:80:03.0", "0000:83:00.0");
        return CardRanking.nearest(Topology.read(new Sysfs(sysfs)), List.of(GPU));
    }

    private static FabricDeviceOptions named(@Nullable String name) {
        return FabricDeviceOptions.builder().deviceName(name).build();
    }

    @Test
    void whenThereAreGpusThenTheNearestCardIsTakenAndEachReasonIsTold() throws IOException {
        DeviceDecision decision = DevicePorts.chooseDevice(Cards.of("far0", "near0", "near1"), named(null), ranking())
                .decision();

        assertThat(decision.device()).isEqualTo("near0");
        assertThat(decision.explanation())
                .isEqualTo("near0: the nearest with an active port: PHB to GPU " + GPU
                        + "; not far0 (farther: SYS to GPU " + GPU + "), near1 (listed later)");
    }

    @Test
    void whenTheNearestCardHasNoActivePortThenTheNextOneIsTakenAndThatIsTold() throws IOException {
        SoftDeviceOptions down = SoftDeviceOptions.builder().name("near0").build();
        List<VerbsDevice> devices = List.of(
                Cards.of("far0").devices().get(0),
                new Unplugged(new SoftVerbsProvider(down).devices().get(0), down.faults()),
                Cards.of("near1").devices().get(0));
        DeviceDecision decision = DevicePorts.chooseDevice(new Cards(devices), named(null), ranking())
                .decision();

        assertThat(decision.device()).isEqualTo("near1");
        assertThat(decision.explanation()).contains("near0 (no active port)").contains("far0 (farther: SYS");
    }

    @Test
    void whenThereIsNoGpuThenTheFirstWithAnActivePortIsTaken() {
        DeviceDecision decision = DevicePorts.chooseDevice(Cards.of("far0", "near0"), named(null), CardRanking.none())
                .decision();

        assertThat(decision.explanation()).isEqualTo("far0: the first with an active port; not near0 (listed later)");
    }

    @Test
    void whenADeviceIsConfiguredThenNothingElseCountsAndNoneIsOpened() throws IOException {
        Cards cards = new Cards(List.of(new Untouchable("far0"), new Untouchable("near0")));

        assertThat(DevicePorts.chooseDevice(cards, named("far0"), ranking())
                        .decision()
                        .explanation())
                .isEqualTo("far0: configured; not near0 (far0 is configured)");
        assertThatThrownBy(() -> DevicePorts.chooseDevice(cards, named("other"), CardRanking.none()))
                .isInstanceOf(FabricDeviceException.class)
                .hasMessageContaining("far0, near0");
    }
}

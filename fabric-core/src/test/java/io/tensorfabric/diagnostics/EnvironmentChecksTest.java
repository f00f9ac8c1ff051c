package io.tensorfabric.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.diagnostics.PreflightStep.Outcome;
import io.tensorfabric.topology.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is read of the host, from files as the kernel shows them. */
class EnvironmentChecksTest {

    private static final long GIB = 1L << 30;

    @TempDir
    private Path folder;

    private void file(String path, String content) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content + "\n");
    }

    private Sysfs files() {
        return new Sysfs(folder);
    }

    @ParameterizedTest
    @CsvSource({
        "8388608, 0000000000000000, 000001ffffffffff, WARN, MEMLOCK_TOO_SMALL",
        "8388608, 0000000000000000, 0000000000004000, WARN, CAPABILITY_INERT",
        "8388608, 0000000000004000, 0000000000004000, OK, ",
        "unlimited, 0000000000000000, 0000000000000000, OK, ",
        "2147483648, 0000000000000000, 0000000000000000, OK, "
    })
    void whenMemoryIsLockedThenLimitAndCapabilitiesDecide(
            String limit, String effective, String bounding, Outcome outcome, Symptom symptom) throws IOException {
        file(
                "self/limits",
                "Limit   Soft Limit  Hard Limit  Units\nMax locked memory    " + limit + "   unlimited  bytes");
        file("self/status", "Name:\tjava\nCapEff:\t" + effective + "\nCapBnd:\t" + bounding + "\nSeccomp:\t0");

        PreflightStep step = new HostLimits(files(), files()).lockedMemory("locked memory", true, GIB);

        assertThat(step.outcome()).as(step.detail()).isEqualTo(outcome);
        assertThat(step.remedy()).isEqualTo(symptom == null ? null : symptom.remedy());
        assertThat(step.detail()).contains("RLIMIT_MEMLOCK is " + limit);
    }

    @Test
    void whenTheDeviceLocksNothingThenALowLimitIsNoWarning() throws IOException {
        file("self/limits", "Max locked memory    65536   65536  bytes");
        PreflightStep step = new HostLimits(files(), files()).lockedMemory("locked memory", false, GIB);
        assertThat(step.outcome()).isEqualTo(Outcome.OK);
        assertThat(new HostLimits(files(), new Sysfs(folder.resolve("absent")))
                        .lockedMemory("locked memory", true, GIB)
                        .outcome())
                .isEqualTo(Outcome.SKIP);
    }

    @Test
    void whenThereAreHugePagesThenTheyAreCounted() throws IOException {
        file("kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "64");
        file("kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "60");
        file("kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "0");
        file("kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
        assertThat(new HostLimits(files(), files()).hugePages("huge pages").detail())
                .isEqualTo("2048kB: 60 of 64 free; transparent ones: always [madvise] never");
    }

    @Test
    void whenEcnIsOffOnARoceCardThenThatIsWarnedOf() throws IOException {
        file("class/infiniband/mlx5_0/ports/1/link_layer", "Ethernet");
        file("class/infiniband/mlx5_0/device/net/eth1/mtu", "9000");
        file("class/infiniband/mlx5_0/tc/1/traffic_class", "Global tclass=106");
        file("class/net/eth1/ecn/roce_np/enable/3", "1");
        file("class/net/eth1/ecn/roce_rp/enable/3", "0");
        PreflightStep step = new FlowControl(files(), "mlx5_0", 1, 106).check("flow control");
        assertThat(step.outcome()).isEqualTo(Outcome.WARN);
        assertThat(step.detail())
                .contains("ECN for priorities 3 as receiver, none as sender")
                .contains("tclass=106");
        file("class/net/eth1/ecn/roce_rp/enable/3", "1");
        file("class/net/eth1/qos/pfc", "0 0 0 1 0 0 0 0");
        PreflightStep both = new FlowControl(files(), "mlx5_0", 1, 106).check("flow control");
        assertThat(both.outcome()).isEqualTo(Outcome.OK);
        assertThat(both.detail())
                .contains("eth1 has PFC 0 0 0 1 0 0 0 0")
                .endsWith("this fabric asks for traffic class 106, which is DSCP 26");
    }

    @Test
    void whenTheDriverShowsNoFlowControlThenNothingIsClaimed() throws IOException {
        assertThat(new FlowControl(files(), "soft0", 1, 106)
                        .check("flow control")
                        .outcome())
                .isEqualTo(Outcome.SKIP);
        file("class/infiniband/mlx5_0/ports/1/link_layer", "Ethernet");
        assertThat(new FlowControl(files(), "mlx5_0", 1, 106)
                        .check("flow control")
                        .detail())
                .startsWith("this fabric asks for traffic class 106")
                .contains("dcb pfc show");
        file("class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand");
        assertThat(new FlowControl(files(), "mlx5_0", 1, 106)
                        .check("flow control")
                        .outcome())
                .isEqualTo(Outcome.OK);
    }

    @Test
    void whenAGpuShowsItsWindowsThenTheSecondIsMeasured() throws IOException {
        file("bus/pci/devices/0000:81:00.0/resource", """
                0x00000000f6000000 0x00000000f6ffffff 0x0000000000040200
                0x00003ff000000000 0x00003fffffffffff 0x000000000014220c
                0x0000000000000000 0x0000000000000000 0x0000000000000000""");
        assertThat(PciResources.bar1(files(), "0000:81:00.0")).hasValue(64 * GIB);
        assertThat(PciResources.bar1(files(), "0000:82:00.0")).isEmpty();
        file("bus/pci/devices/0000:83:00.0/resource", "0x1 0x2 0x3\nnonsense here");
        assertThat(PciResources.bar1(files(), "0000:83:00.0")).isEmpty();
    }
}

package io.tensorfabric.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.PathDecision;
import io.tensorfabric.diagnostics.PreflightStep.Outcome;
import io.tensorfabric.topology.Sysfs;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.GidType;
import io.tensorfabric.verbs.LinkLayer;
import io.tensorfabric.verbs.Mtu;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is told of ports that no software device has. */
class PathChecksTest {

    @TempDir
    private Path folder;

    private static PathDecision path(LinkLayer layer, Mtu mtu, String address, GidType type)
            throws UnknownHostException {
        GidEntry entry = new GidEntry(3, Gid.of(InetAddress.getByName(address)), type, "eth1");
        return new PathDecision(
                "mlx5_0",
                1,
                layer,
                7,
                mtu,
                entry,
                List.of(new PathDecision.Candidate(entry, true, "best of the table")),
                List.of());
    }

    @ParameterizedTest
    @CsvSource({
        "ETHERNET, 192.0.2.7, ROCE_V2, OK, ",
        "ETHERNET, 192.0.2.7, ROCE_V1, WARN, ROCE_V1",
        "ETHERNET, fe80::7, ROCE_V2, WARN, GID_LINK_LOCAL",
        "SOFTWARE, fe80::7, ROCE_V2, OK, ",
        "INFINIBAND, fe80::7, INFINIBAND, OK, "
    })
    void whenAnAddressIsChosenThenItsVersionAndReachDecide(
            LinkLayer layer, String address, GidType type, Outcome outcome, Symptom symptom)
            throws UnknownHostException {
        PreflightStep step = PathChecks.address("address", path(layer, Mtu.MTU_4096, address, type));
        assertThat(step.outcome()).as(step.detail()).isEqualTo(outcome);
        assertThat(step.remedy()).isEqualTo(symptom == null ? null : symptom.remedy());
        assertThat(step.detail()).contains(layer == LinkLayer.INFINIBAND ? "LID 7" : "mlx5_0 port 1: GID 3 ");
    }

    @ParameterizedTest
    @CsvSource({
        "ETHERNET, MTU_1024, 1500, WARN",
        "ETHERNET, MTU_4096, 4200, OK",
        "ETHERNET, MTU_1024, 9000, OK",
        "INFINIBAND, MTU_2048, 2044, OK"
    })
    void whenTheInterfaceHasNoRoomForTheLargestMtuThenThatIsWarnedOf(
            LinkLayer layer, Mtu active, long network, Outcome outcome) throws IOException {
        Path file = folder.resolve("class/net/eth1/mtu");
        Files.createDirectories(file.getParent());
        Files.writeString(file, network + "\n");
        PreflightStep step =
                PathChecks.mtu("port MTU", path(layer, active, "192.0.2.7", GidType.ROCE_V2), new Sysfs(folder));
        assertThat(step.outcome()).as(step.detail()).isEqualTo(outcome);
        assertThat(step.detail()).isEqualTo(active.bytes() + " on eth1, whose own is " + network);
        assertThat(step.remedy()).isEqualTo(outcome == Outcome.WARN ? Symptom.MTU_SMALL.remedy() : null);
    }

    @Test
    void whenTheKernelShowsNoInterfaceThenOnlyThePortsMtuIsTold() throws UnknownHostException {
        PathDecision path = path(LinkLayer.ETHERNET, Mtu.MTU_1024, "192.0.2.7", GidType.ROCE_V2);
        PreflightStep step = PathChecks.mtu("port MTU", path, new Sysfs(folder));
        assertThat(step.outcome()).isEqualTo(Outcome.OK);
        assertThat(step.detail()).isEqualTo("1024, of no network interface that the kernel shows");
    }
}

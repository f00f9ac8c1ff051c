package io.tensorfabric.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopologyTest {

    @TempDir
    private Path folder;

    @Test
    void whenThereAreSwitchesThenDistancesAreThoseOfNvidiaSmi() {
        Topology dgx = Machines.dgx(folder).topology();

        assertThat(dgx.numaNodes()).isEqualTo(2);
        assertThat(dgx.cards()).extracting(RdmaCard::name).containsExactly("mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3");
        assertThat(dgx.gpus()).hasSize(6);
        assertThat(dgx.distance("0000:03:00.0", "mlx5_0")).isEqualTo(Distance.PIX);
        assertThat(dgx.distance("0000:04:00.0", "mlx5_0")).isEqualTo(Distance.PIX);
        assertThat(dgx.distance("0000:03:00.0", "mlx5_1")).isEqualTo(Distance.PXB);
        assertThat(dgx.distance("0000:08:00.0", "mlx5_1")).isEqualTo(Distance.PIX);
        assertThat(dgx.distance("0000:08:00.0", "mlx5_0")).isEqualTo(Distance.PXB);
        assertThat(dgx.distance("0000:03:00.0", "mlx5_2")).isEqualTo(Distance.SYS);
        assertThat(dgx.nearest("00000000:13:00.0").map(GpuPairing::card)).hasValue("mlx5_2");
        assertThat(dgx.nearest("0000:18:00.0").map(GpuPairing::card)).hasValue("mlx5_3");
        assertThat(dgx.card("mlx5_3").orElseThrow().numaNode()).isEqualTo(1);
        assertThat(dgx.card("mlx5_3").orElseThrow().networkInterfaces()).containsExactly("eth-mlx5_3");
        assertThat(TopologyCheck.warnings(dgx, "mlx5_0", List.of("0000:03:00.0", "0000:04:00.0")))
                .isEmpty();
    }

    @Test
    void whenTheCardIsNotTheNearestThenTheNearerOneIsNamed() {
        Topology dgx = Machines.dgx(folder).topology();

        assertThat(TopologyCheck.warnings(dgx, "mlx5_0", List.of("0000:13:00.0")))
                .singleElement()
                .asString()
                .contains("GPU 0000:13:00.0 and mlx5_0 sit apart (SYS): the link between processors lies between them")
                .contains("mlx5_2 is nearer to it (PIX): set fabric.device=mlx5_2");
        assertThat(TopologyCheck.warnings(dgx, "mlx5_0", List.of("0000:08:00.0")))
                .singleElement()
                .asString()
                .contains("sit apart (PXB)")
                .contains("fabric.device=mlx5_1");
    }

    @Test
    void whenGpuAndCardHangAtDifferentProcessorsThenThatLinkAndIommuAreWarnedOf() {
        Topology machine = Machines.crossRoot(folder).topology();

        assertThat(machine.distance("0000:41:00.0", "mlx5_0")).isEqualTo(Distance.NODE);
        assertThat(machine.distance("0000:81:00.0", "mlx5_0")).isEqualTo(Distance.SYS);
        assertThat(TopologyCheck.warnings(machine, "mlx5_0", List.of("0000:81:00.0")))
                .satisfiesExactly(
                        link -> assertThat(link)
                                .contains("PCIe link of mlx5_0 runs at 8.0 GT/s x8 of 16.0 GT/s x16")
                                .contains("slot"),
                        apart -> assertThat(apart).contains("(SYS)").contains("No card is nearer"),
                        iommu -> assertThat(iommu).contains("DMA-FQ").contains("iommu=pt"));
    }

    @Test
    void whenAVirtualMachineTellsNoNodesThenDistancesAreStillTold() {
        Topology machine = Machines.virtual(folder).topology();

        assertThat(machine.gpus()).extracting(PciFunction::address).containsExactly("0000:00:05.0");
        assertThat(machine.card("mlx5_0").orElseThrow().numaNode()).isEqualTo(-1);
        assertThat(machine.distance("0000:00:05.0", "mlx5_0")).isEqualTo(Distance.PHB);
        assertThat(TopologyCheck.warnings(machine, "mlx5_0", List.of("0000:00:05.0")))
                .isEmpty();
    }

    @Test
    void whenThereIsNoGpuThenCardsAreToldAndNothingIsWarnedOf() {
        Topology machine = Machines.withoutGpu(folder).topology();

        assertThat(machine.gpus()).isEmpty();
        assertThat(machine.pairings()).isEmpty();
        assertThat(machine.cards()).extracting(RdmaCard::name).containsExactly("mlx5_0", "mlx5_1", "rxe0");
        assertThat(machine.card("rxe0").orElseThrow().function()).isNull();
        assertThat(TopologyCheck.warnings(machine, "rxe0", List.of())).isEmpty();
        assertThat(TopologyCheck.warnings(machine, "no such card", List.of("0000:99:00.0")))
                .isEmpty();
        assertThat(machine.distance("0000:99:00.0", "mlx5_0")).isEqualTo(Distance.UNKNOWN);
    }

    @Test
    void whenThereIsNoSysfsThenThereIsNothing() {
        Topology nothing = Topology.read(new Sysfs(folder.resolve("absent")));
        assertThat(nothing.cards()).isEmpty();
        assertThat(nothing.gpus()).isEmpty();
        assertThat(nothing.numaNodes()).isZero();
    }

    @Test
    void whenABridgeRedirectsThenItIsNamedWithTheRemedy() {
        Topology machine = Machines.redirecting(folder).topology();

        GpuPairing pairing = machine.pairing("0000:03:00.0", "mlx5_0").orElseThrow();
        assertThat(pairing.distance()).isEqualTo(Distance.PIX);
        assertThat(pairing.acs()).isEqualTo(GpuPairing.Acs.ON);
        assertThat(pairing.redirecting()).containsExactly("0000:02:00.0");
        assertThat(TopologyCheck.warnings(machine, "mlx5_0", List.of("0000:03:00.0")))
                .singleElement()
                .asString()
                .contains("bridges 0000:02:00.0")
                .contains("setpci");
    }

    @Test
    void whenConfigurationSpaceCannotBeReadThenAcsIsUnknownAndNothingIsClaimed() {
        assertThat(AccessControl.read(new byte[64])).isEqualTo(GpuPairing.Acs.UNKNOWN);
        assertThat(AccessControl.read(new byte[4096])).isEqualTo(GpuPairing.Acs.OFF);
        assertThat(AccessControl.read(Machines.config(0x1d))).isEqualTo(GpuPairing.Acs.ON);
        assertThat(AccessControl.read(Machines.config(0x03))).isEqualTo(GpuPairing.Acs.OFF);
        byte[] circle = Machines.config(0);
        circle[0x100] = 2;
        circle[0x102] = 0;
        circle[0x103] = 0x10;
        assertThat(AccessControl.read(circle)).isEqualTo(GpuPairing.Acs.OFF);
        byte[] cut = Arrays.copyOf(Machines.config(0x1d), 0x14c);
        assertThat(AccessControl.read(cut)).isEqualTo(GpuPairing.Acs.OFF);
    }

    @Test
    void whenCardsAreRankedThenTheFarthestGpuCountsFirst() {
        Topology dgx = Machines.dgx(folder).topology();
        CardRanking both = CardRanking.nearest(dgx, List.of("0000:03:00.0", "0000:04:00.0"));

        assertThat(both.isUseful()).isTrue();
        assertThat(both.rank("mlx5_0")).isLessThan(both.rank("mlx5_1"));
        assertThat(both.rank("mlx5_1")).isLessThan(both.rank("mlx5_2"));
        assertThat(both.rank("mlx5_2")).isLessThan(both.rank("rxe0"));
        assertThat(both.reason("mlx5_1")).isEqualTo("PXB to GPU 0000:03:00.0, PXB to GPU 0000:04:00.0");
        assertThat(CardRanking.nearest(dgx, List.of()).isUseful()).isFalse();
        assertThat(CardRanking.none().rank("mlx5_0"))
                .isEqualTo(CardRanking.none().rank("mlx5_3"));
    }
}

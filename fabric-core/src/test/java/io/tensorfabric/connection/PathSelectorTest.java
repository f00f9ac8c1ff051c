package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.GidType;
import io.tensorfabric.verbs.LinkLayer;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.PortAttributes;
import io.tensorfabric.verbs.PortState;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathSelectorTest {

    private static final PortAttributes PORT =
            new PortAttributes(PortState.ACTIVE, LinkLayer.ETHERNET, Mtu.MTU_4096, Mtu.MTU_1024, 0, 16, 1L << 31, 0);

    private static final List<GidEntry> T1 =
            List.of(v1(0, "fe80::1"), v2(1, "fe80::1"), v1(2, "::ffff:200.0.209.6"), v2(3, "::ffff:200.0.209.6"));

    private static final List<GidEntry> T2 =
            List.of(v1(4, "fe80::1"), v2(5, "fe80::1"), v1(6, "::ffff:10.152.0.12"), v2(7, "::ffff:10.152.0.12"));

    private static final List<GidEntry> T3 =
            List.of(v1(0, "fe80::1"), v2(1, "fe80::1"), v1(2, "fd93::1"), v2(3, "fd93::1"));

    private static final List<GidEntry> T4 = List.of(v2(1, "fe80::1"));

    private static GidEntry v1(int index, String address) {
        return entry(index, address, GidType.ROCE_V1);
    }

    private static GidEntry v2(int index, String address) {
        return entry(index, address, GidType.ROCE_V2);
    }

    private static GidEntry entry(int index, String address, GidType type) {
        try {
            String literal = address.startsWith("::ffff:") ? address.substring(7) : address;
            return new GidEntry(index, Gid.of(InetAddress.getByName(literal)), type, "eth0");
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static PathDecision choose(List<GidEntry> table, int index, AddressFamily family) {
        return PathSelector.choose("mlx5_0", 1, PORT, table, index, family);
    }

    private static int chosen(List<GidEntry> table) {
        return choose(table, FabricDeviceOptions.AUTO, AddressFamily.ANY).gid().index();
    }

    @Test
    void whenThereIsARoutableRoceV2EntryThenItIsTaken() {
        assertThat(chosen(T1)).isEqualTo(3);
        assertThat(chosen(T2)).isEqualTo(7);
        assertThat(chosen(T3)).isEqualTo(3);
        assertThat(choose(T1, FabricDeviceOptions.AUTO, AddressFamily.ANY).warnings())
                .isEmpty();
    }

    @Test
    void whenOnlyALinkLocalEntryIsThereThenItIsTakenWithAWarning() {
        PathDecision decision = choose(T4, FabricDeviceOptions.AUTO, AddressFamily.ANY);
        assertThat(decision.gid().index()).isEqualTo(1);
        assertThat(decision.warnings()).singleElement().asString().contains("link-local", "mlx5_0 port 1");
    }

    @Test
    void whenTheConfiguredIndexIsNotThereThenTheErrorListsTheTable() {
        assertThatThrownBy(() -> choose(T1, 9, AddressFamily.ANY))
                .isInstanceOf(FabricDeviceException.class)
                .hasMessageContaining("GID index 9")
                .hasMessageContaining("mlx5_0 port 1")
                .hasMessageContaining("0 fe80:0000:0000:0000:0000:0000:0000:0001 ROCE_V1")
                .hasMessageContaining("3 0000:0000:0000:0000:0000:ffff:c800:d106 ROCE_V2");
    }

    @Test
    void whenAnIndexIsConfiguredThenItIsTakenEvenIfItIsNotTheBest() {
        PathDecision decision = choose(T1, 2, AddressFamily.ANY);
        assertThat(decision.gid().index()).isEqualTo(2);
        assertThat(decision.warnings()).singleElement().asString().contains("RoCE v1");
    }

    @Test
    void whenThePeerIsOfAFamilyThenAGidOfItIsPreferred() {
        List<GidEntry> both = List.of(v2(0, "fd93::1"), v2(1, "::ffff:10.0.0.1"));
        assertThat(choose(both, FabricDeviceOptions.AUTO, AddressFamily.IPV6)
                        .gid()
                        .index())
                .isZero();
        assertThat(choose(both, FabricDeviceOptions.AUTO, AddressFamily.IPV4)
                        .gid()
                        .index())
                .isOne();
        assertThat(choose(both, FabricDeviceOptions.AUTO, AddressFamily.ANY)
                        .gid()
                        .index())
                .isOne();
        assertThat(choose(T3, FabricDeviceOptions.AUTO, AddressFamily.IPV4)
                        .gid()
                        .index())
                .isEqualTo(3);
    }

    @Test
    void whenAskedThenTheDecisionExplainsEveryEntry() {
        PathDecision decision = choose(T1, FabricDeviceOptions.AUTO, AddressFamily.ANY);
        assertThat(decision.candidates()).hasSize(4);
        assertThat(decision.candidates())
                .filteredOn(PathDecision.Candidate::chosen)
                .hasSize(1);
        assertThat(decision.candidates())
                .extracting(PathDecision.Candidate::reason)
                .containsExactly(
                        "RoCE v1 is not routable", "link-local", "RoCE v1 is not routable", "best of the table");
        assertThat(decision.explanation()).contains("mlx5_0 port 1: GID 3", "link-local");
    }

    @Test
    void whenTheTableIsEmptyThenTheErrorSaysWhereToLook() {
        assertThatThrownBy(() -> chosen(List.of()))
                .isInstanceOf(FabricDeviceException.class)
                .hasMessageContaining("/sys/class/infiniband/mlx5_0/ports/1/gids");
    }

    @Test
    void whenMtusDifferThenTheSmallerOneIsUsed() {
        assertThat(PathSelector.negotiateMtu(Mtu.MTU_4096, 1024)).isEqualTo(Mtu.MTU_1024);
        assertThat(PathSelector.negotiateMtu(Mtu.MTU_1024, 4096)).isEqualTo(Mtu.MTU_1024);
    }

    @ParameterizedTest
    @ValueSource(ints = {3000, 0, -1, 8192})
    void whenAnMtuIsNoneOfTheFiveThenItIsRefused(int mtu) {
        assertThatThrownBy(() -> PathSelector.negotiateMtu(Mtu.MTU_4096, mtu))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

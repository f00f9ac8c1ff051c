package io.tensorfabric.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.PeerRight;
import io.tensorfabric.diagnostics.PreflightStep.Outcome;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.topology.Sysfs;
import io.tensorfabric.transfer.FabricTransfers;
import io.tensorfabric.transfer.ReservedNames;
import io.tensorfabric.transfer.TransferOptions;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PreflightTest {

    @TempDir
    private Path folder;

    /** Two nodes whose listener at B takes everything. */
    private static final class Pair implements AutoCloseable {

        private final TwoNodes nodes;

        private final Queue<String> heard = new ConcurrentLinkedQueue<>();

        Pair(UnaryOperator<TestNode.Builder> customizer) {
            nodes = TwoNodes.start(builder -> customizer.apply(builder).handler(Pair::transfers));
            transfersOf(nodes.b()).register("all", "*", "*", received -> {
                heard.add(received.tensor().name());
                received.close();
            });
        }

        private static FabricTransfers transfers(TestNode node) {
            FabricTransfers transfers = FabricTransfers.builder()
                    .options(TransferOptions.builder().landingZoneSize(4 << 20).build())
                    .pool(node.pool())
                    .protectionDomain(node.device().protectionDomain())
                    .connector(peer -> node.manager().connect(peer))
                    .build();
            transfers.start();
            return transfers;
        }

        private static FabricTransfers transfersOf(TestNode node) {
            return (FabricTransfers) node.handler();
        }

        @Override
        public void close() {
            nodes.a().faults().clear();
            nodes.b().faults().clear();
            transfersOf(nodes.a()).close(Duration.ofSeconds(2));
            transfersOf(nodes.b()).close(Duration.ofSeconds(2));
            nodes.close();
        }
    }

    private PreflightReport run(Pair pair, String peer, Duration timeout) {
        TestNode a = pair.nodes.a();
        PreflightSubject subject = new PreflightSubject(
                a.manager(),
                Pair.transfersOf(a),
                a.pool(),
                List.of(),
                "this is a test",
                new Sysfs(folder.resolve("sys")),
                new Sysfs(folder.resolve("proc")));
        return new Preflight(subject, timeout).run(peer);
    }

    private static PreflightStep step(PreflightReport report, String name) {
        return report.ladder().stream()
                .filter(step -> step.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whenThePathWorksThenEveryRungIsClimbedAndNoListenerHearsOfIt() {
        try (Pair pair = new Pair(UnaryOperator.identity())) {
            PreflightReport report = run(pair, TwoNodes.B, Duration.ofSeconds(30));

            assertThat(report.outcome()).as(String.join("\n", report.text())).isEqualTo(Outcome.OK);
            assertThat(report.ladder())
                    .extracting(PreflightStep::name)
                    .containsExactly(
                            "connect",
                            "mtu of both ends",
                            "1 byte",
                            "4 KiB",
                            "across the MTU",
                            "1 MiB",
                            "8 at once",
                            "GPU direct",
                            "port counters");
            assertThat(step(report, "connect").detail()).contains("3 of 3 queue pairs are RTS at both ends");
            assertThat(step(report, "1 MiB").detail())
                    .contains("1048576 bytes arrived whole")
                    .contains("GB/s");
            assertThat(step(report, "GPU direct").outcome()).isEqualTo(Outcome.SKIP);
            assertThat(step(report, "GPU direct").detail()).contains("this is a test");
            assertThat(report.environment())
                    .extracting(PreflightStep::name)
                    .contains("device", "address", "port MTU", "locked memory", "flow control", "topology");
            assertThat(report.text())
                    .first()
                    .asString()
                    .startsWith("preflight from " + TwoNodes.A + " (soft0) to " + TwoNodes.B);
            assertThat(report.text()).last().asString().startsWith("preflight ok in ");
            assertThat(pair.heard).isEmpty();
            assertThat(pair.nodes.a().pool().holders())
                    .noneMatch(holder -> holder.toString().contains("preflight"));
        }
    }

    @Test
    void whenThePeerGivesNoRightToPushThenItIsRefusedAndTheReportSaysWhatIsMissing() {
        try (Pair pair = new Pair(builder -> builder.policy(
                node -> node.equals(TwoNodes.A) ? EnumSet.of(PeerRight.PULL) : EnumSet.allOf(PeerRight.class)))) {
            PreflightReport report = run(pair, TwoNodes.B, Duration.ofSeconds(30));

            assertThat(report.outcome()).isEqualTo(Outcome.FAIL);
            assertThat(step(report, "connect").outcome()).isEqualTo(Outcome.OK);
            assertThat(step(report, "1 byte").outcome()).isEqualTo(Outcome.FAIL);
            assertThat(step(report, "1 byte").detail()).contains("may not push");
            assertThat(step(report, "1 byte").remedy()).isEqualTo(Symptom.NO_RIGHT.remedy());
            assertThat(step(report, "1 MiB").outcome()).isEqualTo(Outcome.SKIP);
            assertThat(step(report, "1 MiB").detail()).isEqualTo("\"1 byte\" failed");
        }
    }

    @Test
    void whenThePeerIsDownThenConnectFailsAndTheRestIsSkipped() {
        try (Pair pair = new Pair(UnaryOperator.identity())) {
            pair.nodes.b().kill();
            PreflightReport report = run(pair, TwoNodes.B, Duration.ofSeconds(5));

            assertThat(report.outcome()).isEqualTo(Outcome.FAIL);
            assertThat(step(report, "connect").outcome()).isEqualTo(Outcome.FAIL);
            assertThat(step(report, "connect").remedy()).isEqualTo(Symptom.PEER_UNREACHABLE.remedy());
            assertThat(report.ladder())
                    .filteredOn(step -> step.outcome() == Outcome.SKIP)
                    .hasSize(8);
            assertThat(report.text()).last().asString().startsWith("preflight fail in ");
            assertThat(report.millis()).isLessThan(15_000);
        }
    }

    @Test
    void whenThePeerIsNotKnownThenTheReportNamesThoseThatAre() {
        try (Pair pair = new Pair(UnaryOperator.identity())) {
            PreflightReport report = run(pair, "nobody", Duration.ofSeconds(5));

            assertThat(step(report, "connect").outcome()).isEqualTo(Outcome.FAIL);
            assertThat(step(report, "connect").detail())
                    .contains("no peer 'nobody'")
                    .contains(TwoNodes.B);
        }
    }

    @Test
    void whenThePortIsDownThenTheDeviceIsWhatFails() {
        try (Pair pair = new Pair(UnaryOperator.identity())) {
            pair.nodes.a().faults().setPortState(1, PortState.DOWN);
            PreflightReport report = run(pair, TwoNodes.B, Duration.ofSeconds(5));

            assertThat(report.environment()).first().satisfies(step -> {
                assertThat(step.name()).isEqualTo("device");
                assertThat(step.outcome()).isEqualTo(Outcome.FAIL);
                assertThat(step.detail()).contains("port 1 is DOWN");
                assertThat(step.remedy()).isEqualTo(Symptom.PORT_DOWN.remedy());
            });
            assertThat(report.outcome()).isEqualTo(Outcome.FAIL);
        }
    }

    @Test
    void whenNothingComesThroughThenTheReportIsThereInTime() {
        try (Pair pair = new Pair(UnaryOperator.identity())) {
            pair.nodes.connect();
            pair.nodes.a().faults().traffic().stallMessages(true);
            long begin = System.nanoTime();
            PreflightReport report = run(pair, TwoNodes.B, Duration.ofSeconds(1));

            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
            assertThat(step(report, "1 byte").outcome()).isEqualTo(Outcome.FAIL);
            assertThat(step(report, "1 byte").remedy()).isNotNull();
        }
    }

    @Test
    void whenThePeersMtuIsSmallerThenBothAreNamed() {
        try (Pair pair = new Pair(builder -> builder.device(
                builder.name().equals(TwoNodes.A)
                        ? SoftDeviceOptions.defaults().withMtu(Mtu.MTU_4096)
                        : SoftDeviceOptions.defaults().withMtu(Mtu.MTU_1024)))) {
            PreflightReport report = run(pair, TwoNodes.B, Duration.ofSeconds(30));

            assertThat(report.outcome()).isEqualTo(Outcome.WARN);
            assertThat(step(report, "mtu of both ends").detail())
                    .contains("4096")
                    .contains("1024");
            assertThat(step(report, "across the MTU").detail()).startsWith("1025 bytes arrived whole");
        }
    }

    @Test
    void whenThePortCountsErrorsMeanwhileThenTheyAreTold() throws IOException {
        Path counter = folder.resolve("sys/class/infiniband/soft0/ports/1/hw_counters/out_of_sequence");
        Files.createDirectories(counter.getParent());
        Files.writeString(counter, "5");
        try (Pair pair = new Pair(UnaryOperator.identity())) {
            Pair.transfersOf(pair.nodes.a()).addObserver((status, elapsed) -> {
                assertThat(ReservedNames.isReserved(status.tensor())).isTrue();
                try {
                    Files.writeString(counter, "8");
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            PreflightReport report = run(pair, TwoNodes.B, Duration.ofSeconds(30));

            assertThat(step(report, "port counters").outcome()).isEqualTo(Outcome.WARN);
            assertThat(step(report, "port counters").detail())
                    .isEqualTo("grew meanwhile: out_of_sequence_packets_received by 3");
        }
    }
}

package io.tensorfabric.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortCountersTest {

    @TempDir
    private Path folder;

    private SysfsTree tree;

    @BeforeEach
    void plant() {
        tree = new SysfsTree(folder);
    }

    private PortCounters counters(String device) {
        return new PortCounters(tree.sysfs(), device, 1);
    }

    @Test
    void whenDataIsCountedInWordsThenItIsToldInBytes() {
        tree.counter("mlx5_0", "counters/port_rcv_data", 1000).counter("mlx5_0", "counters/port_xmit_data", 3);

        assertThat(counters("mlx5_0").read(PortCounter.DATA_RECEIVED)).hasValue(4000);
        assertThat(counters("mlx5_0").read(PortCounter.DATA_TRANSMITTED)).hasValue(12);
    }

    @Test
    void whenACardCountsThenNamesAreThoseOfTheNodeExporter() {
        tree.counter("mlx5_0", "hw_counters/rnr_nak_retry_err", 7)
                .counter("mlx5_0", "hw_counters/local_ack_timeout_err", 2)
                .counter("mlx5_0", "hw_counters/np_cnp_sent", 11)
                .counter("mlx5_0", "hw_counters/rp_cnp_handled", 12)
                .counter("mlx5_0", "hw_counters/out_of_sequence", 13)
                .counter("mlx5_0", "counters/port_xmit_discards", 14)
                .counter("mlx5_0", "counters/link_downed", 15)
                .counter("mlx5_0", "counters/symbol_error", 16)
                .counter("mlx5_0", "counters/port_rcv_packets", 17)
                .counter("mlx5_0", "hw_counters/lifespan", 10);

        Map<String, Long> labels = new java.util.TreeMap<>();
        counters("mlx5_0").readAll().forEach((counter, value) -> labels.put(counter.label(), value));

        assertThat(labels)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "rnr_nak_retry_packets_received", 7L,
                        "local_ack_timeout_errors", 2L,
                        "np_cnp_packets_sent", 11L,
                        "rp_cnp_packets_handled", 12L,
                        "out_of_sequence_packets_received", 13L,
                        "port_discards_transmitted", 14L,
                        "link_downed", 15L,
                        "symbol_error", 16L,
                        "port_packets_received", 17L));
    }

    @Test
    void whenSoftRoceCountsThenItsOwnNamesAreUnderstood() {
        tree.counter("rxe0", "hw_counters/sent_pkts", 100)
                .counter("rxe0", "hw_counters/rcvd_pkts", 90)
                .counter("rxe0", "hw_counters/rcvd_rnr_err", 1)
                .counter("rxe0", "hw_counters/send_rnr_err", 2)
                .counter("rxe0", "hw_counters/out_of_seq_request", 3)
                .counter("rxe0", "hw_counters/rcvd_seq_err", 4)
                .counter("rxe0", "hw_counters/completer_retry_err", 5)
                .counter("rxe0", "hw_counters/retry_exceeded_err", 6)
                .counter("rxe0", "hw_counters/link_downed", 7);

        assertThat(counters("rxe0").readAll())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        PortCounter.PACKETS_TRANSMITTED, 100L,
                        PortCounter.PACKETS_RECEIVED, 90L,
                        PortCounter.RNR_NAK_RECEIVED, 1L,
                        PortCounter.RNR_NAK_SENT, 2L,
                        PortCounter.OUT_OF_SEQUENCE, 3L,
                        PortCounter.PACKET_SEQUENCE_ERROR, 4L,
                        PortCounter.COMPLETER_RETRY, 5L,
                        PortCounter.RETRY_EXCEEDED, 6L,
                        PortCounter.LINK_DOWNED, 7L));
    }

    @Test
    void whenAFileHoldsNoNumberThenItsCounterIsAbsentAndTheOthersAreThere() {
        tree.counter("hfi1_0", "counters/symbol_error", "N/A (no PMA)").counter("hfi1_0", "counters/link_downed", 0);

        assertThat(counters("hfi1_0").readAll()).containsExactly(Map.entry(PortCounter.LINK_DOWNED, 0L));
    }

    @Test
    void whenANumberIsLargerThanALongThenItDoesNotTurnNegative() {
        tree.counter("mlx5_0", "counters/port_rcv_data", "18446744073709551615")
                .counter("mlx5_0", "counters/port_xmit_data", Long.MAX_VALUE / 2);

        assertThat(counters("mlx5_0").readAll().values()).containsExactly(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    @Test
    void whenThereIsNoSuchDeviceThenThereAreNoCounters() {
        assertThat(counters("soft0").readAll()).isEmpty();
        tree.file("secret", 5);
        assertThat(tree.sysfs().text("secret")).hasValue("5");
        assertThat(new Sysfs(folder.resolve("class")).text("../secret")).isEmpty();
    }

    @Test
    void whenACounterTellsOfAFaultThenItHasARemedyAndNoNameIsThereTwice() {
        assertThat(PortCounter.values()).allSatisfy(counter -> {
            assertThat(counter.label()).matches("[a-z_]+");
            assertThat(counter.remedy()).matches(counter.kind() == PortCounter.Kind.FAULT ? "[A-Z].+[.]" : "");
        });
        assertThat(Arrays.stream(PortCounter.values()).map(PortCounter::label)).doesNotHaveDuplicates();
        assertThat(Arrays.stream(PortCounter.values()).flatMap(counter -> counter.files().stream()))
                .doesNotHaveDuplicates();
    }
}

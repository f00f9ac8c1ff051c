package io.tensorfabric.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CarriersTest {

    private Sinks sinks;

    @BeforeEach
    void open() throws IOException {
        sinks = Sinks.open();
    }

    @AfterEach
    void close() throws IOException {
        sinks.close();
    }

    @Test
    void whenBlocksGoThroughSocketsThenEachIsAcknowledged() throws Exception {
        try (Carrier carrier = new NioCarrier(sinks.ports(0).nio())) {
            assertThat(carrier.bandwidth(100_000, 0.05)).isPositive();
            assertThat(carrier.latency(10, 0.05)).isPositive();
        }
    }

    @Test
    void whenBlocksGoThroughGrpcThenEachIsAcknowledged() throws Exception {
        try (Carrier carrier = new GrpcCarrier(sinks.ports(0).grpc())) {
            assertThat(carrier.bandwidth(5_000_000, 0.05)).isPositive();
            assertThat(carrier.latency(10, 0.05)).isPositive();
        }
    }

    @Test
    void whenBlocksGoThroughFlightThenEachIsAcknowledgedWhateverItsSize() throws Exception {
        try (Carrier carrier = new FlightCarrier(sinks.ports(0).flight())) {
            assertThat(carrier.bandwidth(5_000_000, 0.05)).isPositive();
            assertThat(carrier.latency(10, 0.05)).isPositive();
        }
    }

    @Test
    void whenUcxIsNotOnThisMachineThenTheReportSaysSoAndTheOthersAreOpen() throws Exception {
        try (Carriers carriers = Carriers.open(sinks.ports(1))) {
            assertThat(carriers.all()).extracting(Carrier::name).startsWith("nio", "grpc", "flight", "rest");
            assertThat(carriers.all().size() + carriers.missing().size()).isEqualTo(6);
            assertThat(carriers.missing().values()).allMatch(reason -> !reason.isBlank());
            for (Carrier carrier : carriers.all()) {
                if (carrier.name().startsWith("ucx")) {
                    assertThat(carrier.bandwidth(100_000, 0.05)).isPositive();
                    assertThat(carrier.latency(10, 0.05)).isPositive();
                }
            }
        }
    }

    @Test
    void whenSamplesAreTakenThenPercentilesAreOfTheNearestRank() {
        Samples samples = new Samples();
        assertThatIllegalStateException().isThrownBy(() -> samples.micros(50));
        for (int i = 10; i >= 1; i--) {
            samples.add(i * 1000L);
        }
        assertThat(samples.micros(50)).isEqualTo(5);
        assertThat(samples.micros(99)).isEqualTo(10);
        assertThat(samples.micros(0)).isEqualTo(1);
    }
}

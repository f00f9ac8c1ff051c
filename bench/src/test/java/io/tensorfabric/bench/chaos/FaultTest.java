package io.tensorfabric.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FaultTest {

    private static final Duration LENGTH = Duration.ofSeconds(300);

    static Stream<Network> networks() {
        return Stream.of(new SoftNetwork(), new RoceNetwork());
    }

    @ParameterizedTest
    @MethodSource("networks")
    void whenTheSeedIsTheSameThenSoIsThePlanAndEachFaultOfTheNetworkIsInIt(Network network) {
        List<Fault> plan = plan(5, network);

        assertThat(plan).isEqualTo(plan(5, network)).isNotEqualTo(plan(6, network));
        assertThat(plan.subList(0, network.faults().size()))
                .extracting(Fault::kind)
                .containsExactlyInAnyOrderElementsOf(network.faults().keySet());
        assertThat(plan)
                .extracting(Fault::kind)
                .hasSameElementsAs(network.faults().keySet());
        assertThat(plan).extracting(Fault::node).containsOnly(0, 1, 2);
    }

    private static List<Fault> plan(long seed, Network network) {
        return Fault.plan(seed, LENGTH, 3, network);
    }
}

package io.tensorfabric.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CableEndTest {

    private final List<String> commands = new ArrayList<>();

    private final CableEnd end = new CableEnd(
            "eth0",
            (action, name, arguments) ->
                    commands.add((action + " " + name + " " + String.join(" ", arguments)).strip()));

    @Test
    void whenPacketsAreLateAndLostAtOnceThenBothHoldUntilEachIsOver() throws Exception {
        end.add(Fault.Kind.DELAY);
        end.add(Fault.Kind.LOSS);
        end.remove(Fault.Kind.DELAY);
        end.remove(Fault.Kind.LOSS);

        assertThat(commands)
                .containsExactly(
                        "quality eth0 delay 15ms 5ms",
                        "quality eth0 delay 15ms 5ms loss 2%",
                        "quality eth0 loss 2%",
                        "quality eth0");
    }

    @Test
    void whenAPartitionMeetsALossThenNothingPassesUntilItIsOver() throws Exception {
        end.add(Fault.Kind.LOSS);
        end.add(Fault.Kind.PARTITION);
        end.remove(Fault.Kind.PARTITION);

        assertThat(commands).containsExactly("quality eth0 loss 2%", "quality eth0 loss 100%", "quality eth0 loss 2%");
    }

    @Test
    void whenTwoNodesOfADeviceLoseTheirLinkThenItIsUpWhenBothFaultsAreOver() throws Exception {
        end.add(Fault.Kind.LINK_DOWN);
        end.add(Fault.Kind.LINK_DOWN);
        end.remove(Fault.Kind.LINK_DOWN);
        assertThat(commands).containsExactly("down eth0");

        end.remove(Fault.Kind.LINK_DOWN);
        assertThat(commands).containsExactly("down eth0", "up eth0");
    }
}

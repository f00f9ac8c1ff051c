package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.connection.CompletionMode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class OptionsTest {

    private static <T> T parse(Class<T> type, String command, String... options) {
        CommandLine line = BenchApplication.commandLine();
        line.parseArgs(Stream.concat(Stream.of(command), Stream.of(options)).toArray(String[]::new));
        return type.cast(line.getSubcommands().get(command).getCommand());
    }

    @ParameterizedTest
    @ValueSource(strings = {"push", "tune", "peers", "roce"})
    void whenABenchmarkMeasuresThenItTakesTheCommonOptions(String name) {
        CommandLine line = BenchApplication.commandLine().getSubcommands().get(name);
        assertThat(line.getCommandSpec().optionsMap())
                .containsKeys("--seconds", "--rounds", "--quick", "--csv", "--svg", "--pool");
    }

    @Test
    void whenConnectionsAreIdleThenTheirNumbersRiseAndTheCommonOptionsAreTaken() {
        IdleCommand idle = parse(IdleCommand.class, "idle", "--peers", "20,1,20,5", "--mode", "spin", "--quick");
        assertThat(idle.counts()).containsExactly(1, 5, 20);
        assertThat(idle.measure.rounds()).isEqualTo(1);
        assertThat(idle.settings.arguments()).contains("--fabric.completion.mode=SPIN");
        assertThat(parse(IdleCommand.class, "idle").counts()).containsExactly(1, 10, 100);
        IdleCommand none = parse(IdleCommand.class, "idle", "--peers", "0,1");
        assertThatThrownBy(none::counts).isInstanceOf(CommandLine.ParameterException.class);
    }

    @Test
    void whenAModeIsNamedInAnyCaseThenItIsTaken() {
        assertThat(parse(PushCommand.class, "push", "--mode", "spin").path.settings.mode)
                .isEqualTo(CompletionMode.SPIN);
        assertThat(parse(TuneCommand.class, "tune", "--mode", "EVENT").path.settings.mode)
                .isEqualTo(CompletionMode.EVENT);
        assertThat(parse(PushCommand.class, "push").path.settings.mode).isEqualTo(CompletionMode.ADAPTIVE);
    }

    @Test
    void whenQuickThenMeasurementsAreShortAndFew() {
        PushCommand quick = parse(PushCommand.class, "push", "--quick", "--rounds", "5");
        assertThat(quick.measure.seconds()).isEqualTo(0.5);
        assertThat(quick.measure.rounds()).isEqualTo(1);
        assertThat(parse(PushCommand.class, "push", "--seconds", "3", "--rounds", "5")
                        .measure
                        .rounds())
                .isEqualTo(5);
    }

    @Test
    void whenSizesAreNamedThenTheyReplaceAllOthers() {
        assertThat(parse(RoceCommand.class, "roce").sizes)
                .hasSize(24)
                .startsWith(new ByteSize(2))
                .endsWith(new ByteSize(16 << 20));
        assertThat(parse(RoceCommand.class, "roce", "--sizes", "1KB,2KB").sizes)
                .containsExactly(new ByteSize(1024), new ByteSize(2048));
    }

    @Test
    void whenTensorsLieInGpuMemoryThenBothNodesLandThemThereElseGpusAreLeftAlone() {
        PushCommand push = parse(PushCommand.class, "push", "--gpu");
        assertThat(push.node.forProcess()).contains("--gpu");
        assertThat(push.node.arguments("sender", "")).contains("--fabric.landing.memory=auto");
        assertThat(parse(PushCommand.class, "push").node.arguments("sender", ""))
                .contains("--fabric.gpu.enabled=false")
                .doesNotContain("--fabric.landing.memory=auto");
    }
}

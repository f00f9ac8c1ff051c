package io.tensorfabric.service.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class DemoOptionsTest {

    @Test
    void whenOnlyTheServicesAreGivenThenAFileIsMadeUp() {
        DemoOptions options =
                DemoOptions.parse(new String[] {"--a", "http://localhost:1", "--b", "http://localhost:2"});

        assertThat(options.file()).isNull();
        assertThat(options.size()).isEqualTo(DataSize.ofMegabytes(256));
        assertThat(options.peer()).isEqualTo("b");
    }

    @Test
    void whenAllOptionsAreGivenThenTheyAreTaken() {
        DemoOptions options = DemoOptions.parse(new String[] {
            "--a", "http://localhost:1", "--b", "http://localhost:2", "--peer", "p", "--file", "f", "--deadline", "3s"
        });

        assertThat(options.file()).isEqualTo(Path.of("f"));
        assertThat(options.peer()).isEqualTo("p");
        assertThat(options.deadline()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void whenAnOptionIsWrongThenTheMessageNamesItAndShowsTheUsage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DemoOptions.parse(new String[] {"--zz", "1"}))
                .withMessageContaining("--zz")
                .withMessageContaining("usage:");
        assertThatIllegalArgumentException().isThrownBy(() -> DemoOptions.parse(new String[] {"--a"}));
        assertThatIllegalArgumentException().isThrownBy(() -> DemoOptions.parse(new String[0]));
    }

    @Test
    void whenNoServiceAnswersThenTheDemoFailsWithItsName() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] args = {"--a", "http://127.0.0.1:1", "--b", "http://127.0.0.1:1", "--size", "8KB"};

        int exit = DemoApplication.run(
                args,
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));

        assertThat(exit).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("service A does not answer");
    }

    @Test
    void whenTheSizeIsTooSmallThenItIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> DemoOptions.parse(new String[] {"--a", "http://a", "--b", "http://b", "--size", "1KB"}))
                .withMessageContaining("8KB");
    }
}

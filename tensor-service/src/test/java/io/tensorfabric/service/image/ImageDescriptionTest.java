package io.tensorfabric.service.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code ./dev image}, which needs no engine, and the Dockerfile describe the same image. */
class ImageDescriptionTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern CONTINUED = Pattern.compile("\\\\\\n\\s*");

    private static final Pattern DURATION = Pattern.compile("--([a-z-]+)=(\\S+)");

    private static JsonNode config;

    private static List<String> layers;

    private static final Map<String, List<String>> instructions = new TreeMap<>();

    @BeforeAll
    static void read() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "no bash");
        config = JsonMapper.shared().readTree(bash("image_config ''"));
        layers = List.of(bash("echo \"${image_layers[@]}\"").strip().split(" ", -1));
        String text = Files.readString(ROOT.resolve("scripts/image/Dockerfile"));
        for (String line : CONTINUED.matcher(text).replaceAll("").split("\n", -1)) {
            String[] words = line.split(" ", 2);
            if (words.length == 2 && !words[0].equals("#")) {
                instructions.computeIfAbsent(words[0], any -> new ArrayList<>()).add(words[1]);
            }
        }
    }

    /** What a function of the script prints. */
    private static String bash(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        "/bin/bash",
                        "-euo",
                        "pipefail",
                        "-c",
                        "source scripts/lib.sh; source scripts/image.sh; " + command)
                .directory(ROOT.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    private static String only(String instruction) {
        assertThat(instructions.get(instruction)).as(instruction).hasSize(1);
        return instructions.get(instruction).get(0);
    }

    private static List<String> words(JsonNode array) {
        List<String> words = new ArrayList<>();
        array.forEach(word -> words.add(word.asString()));
        return words;
    }

    private static List<String> words(String array) {
        return words(JsonMapper.shared().readTree(array));
    }

    @Test
    void whenTheScriptDescribesTheImageThenItIsThatOfTheDockerfile() {
        JsonNode image = config.get("config");
        assertThat(image.get("User").asString()).isEqualTo(only("USER")).doesNotStartWith("0");
        assertThat(image.get("WorkingDir").asString()).isEqualTo(only("WORKDIR"));
        assertThat(image.get("StopSignal").asString()).isEqualTo(only("STOPSIGNAL"));
        assertThat(image.get("ExposedPorts").propertyNames()).containsExactly(only("EXPOSE") + "/tcp");
        assertThat(String.join(" ", words(image.get("Env")))).isEqualTo(only("ENV"));
        assertThat(words(image.get("Entrypoint"))).isEqualTo(words(only("ENTRYPOINT")));
        assertThat(only("FROM")).isEqualTo("scratch");
    }

    @Test
    void whenTheScriptDescribesTheHealthCheckThenItIsThatOfTheDockerfile() {
        JsonNode check = config.at("/config/Healthcheck");
        String[] parts = only("HEALTHCHECK").split("CMD ", 2);
        List<String> command = new ArrayList<>(words(check.get("Test")));
        assertThat(command.remove(0)).isEqualTo("CMD");
        assertThat(command).isEqualTo(words(parts[1])).contains("check", "health");
        Map<String, String> told = new TreeMap<>();
        Matcher option = DURATION.matcher(parts[0]);
        while (option.find()) {
            told.put(option.group(1), option.group(2));
        }
        assertThat(told)
                .isEqualTo(Map.of(
                        "interval", seconds(check, "Interval"),
                        "timeout", seconds(check, "Timeout"),
                        "start-period", seconds(check, "StartPeriod"),
                        "retries", check.get("Retries").asString()));
    }

    private static String seconds(JsonNode check, String name) {
        return Duration.ofNanos(check.get(name).asLong()).toSeconds() + "s";
    }

    @Test
    void whenTheScriptWritesLayersThenTheyAreThoseOfTheDockerfileInItsOrder() {
        assertThat(instructions.get("COPY"))
                .containsExactlyElementsOf(
                        layers.stream().map(layer -> layer + "/ /").toList());
    }
}

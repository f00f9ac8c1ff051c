package io.tensorfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds that the page about failures names tests that exist. */
class FailureModesPageTest {

    private static final Path ROOT = Path.of("..");

    private static final Pattern TEST = Pattern.compile("`(?<type>[A-Z]\\w+(Test|IT))\\.(?<method>\\w+)`");

    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (String module : List.of("fabric-core", "fabric-autoconfigure", "tensor-service")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
                for (Path file :
                        (Iterable<Path>) files.filter(path -> path.toString().endsWith(".java"))::iterator) {
                    String name = file.getFileName().toString();
                    sources.merge(name.substring(0, name.length() - 5), Files.readString(file), String::concat);
                }
            }
        }
        return sources;
    }

    @Test
    void whenThePageNamesATestThenThereIsOne() throws IOException {
        Map<String, String> sources = sources();
        Matcher matcher = TEST.matcher(Files.readString(ROOT.resolve("docs/failure-modes.md")));
        List<String> named = new ArrayList<>();
        while (matcher.find()) {
            named.add(matcher.group());
            assertThat(sources.getOrDefault(matcher.group("type"), ""))
                    .as(matcher.group())
                    .contains("void " + matcher.group("method") + "(");
        }
        assertThat(named).hasSizeGreaterThan(25);
    }

    @Test
    void whenThePageTellsOfAFaultThenItNamesATest() throws IOException {
        List<String> faults = Files.readAllLines(ROOT.resolve("docs/failure-modes.md")).stream()
                .filter(line -> line.startsWith("| "))
                .filter(line -> !line.startsWith("| fault |") && !line.startsWith("| ---"))
                .toList();
        assertThat(faults)
                .hasSizeGreaterThan(25)
                .allMatch(line -> TEST.matcher(line).find());
    }
}

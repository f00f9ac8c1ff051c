package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds the page about security to the tests that it names. */
class SecurityPageTest {

    private static final Path ROOT = Path.of("..");

    private static final Pattern NAMED =
            Pattern.compile("`([A-Z][A-Za-z0-9]*(?:Test|Contract|IT))(?:\\.(when\\w+)(?:\\.\\.\\.)?)?`");

    /** Of the modules: what else lies below the root, such as the sources of a kernel, comes and goes meanwhile. */
    private static Map<String, Path> testClasses() throws IOException {
        Map<String, Path> classes = new HashMap<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path tests : modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(tests)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .forEach(file ->
                                    classes.put(file.getFileName().toString().replace(".java", ""), file));
                }
            }
        }
        return classes;
    }

    /** That about Spring Boot names tests in the same way. */
    @ParameterizedTest
    @CsvSource({"security.md, 40", "boot.md, 15"})
    void whenThePageNamesATestThenItExists(String page, int least) throws IOException {
        Map<String, Path> classes = testClasses();
        Matcher named = NAMED.matcher(Files.readString(ROOT.resolve("docs").resolve(page)));
        int count = 0;
        while (named.find()) {
            assertThat(classes).containsKey(named.group(1));
            String method = named.group(2);
            if (method != null) {
                assertThat(Files.readString(classes.get(named.group(1))))
                        .as(named.group(1))
                        .contains("void " + method);
            }
            count++;
        }
        assertThat(count).isGreaterThan(least);
    }

    @Test
    void whenThePageTellsOfAnAttackThenItNamesATest() throws IOException {
        int attacks = 0;
        boolean inTable = false;
        for (String line : Files.readAllLines(ROOT.resolve("docs").resolve("security.md"))) {
            if (line.startsWith("| attack |")) {
                inTable = true;
            } else if (!line.startsWith("| ")) {
                inTable = false;
            } else if (inTable && !line.startsWith("| ---")) {
                assertThat(NAMED.matcher(line).find()).as(line).isTrue();
                attacks++;
            }
        }
        assertThat(attacks).isGreaterThan(25);
    }
}

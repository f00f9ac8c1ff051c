package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Holds the metadata complete, and the page of properties equal to it. */
class PropertiesPageTest {

    private static final Path PAGE = Path.of("..", "docs", "properties.md");

    private static final String WRITE =
            "mvn -pl fabric-autoconfigure -am test -Dtest=PropertiesPageTest -Dfabric.docs.write=true";

    private static final String HEAD = """
            # Properties

            <!-- Written by PropertiesPageTest from the configuration metadata. Change the Javadoc of FabricProperties and run
                 %s -->

            A duration is a whole number and a unit, `ns`, `us`, `ms`, `s`, `m`, `h` or `d`; without one it is refused. A size
            takes `B`, `KB`, `MB`, `GB` and `TB`, which are powers of 1024, and without a unit it is in bytes. A value that makes
            no sense stops the start, with the right spelling where there is one, and so does an unknown property below `fabric`.

            `fabric.peers` is a list, because the keys of a map lose their colons and dots:

            ```yaml
            fabric:
              peers:
                - name: ranker
                  url: https://ranker:8443
                - name: feeder
                  url: "[2001:db8::7]:8443"
            ```

            or `FABRIC_PEERS=ranker=https://ranker:8443,feeder=https://feeder:8443` in the environment. A url without a scheme is
            `https`, or `http` for this machine and where `fabric.security.allow-plaintext` is set; its port is 8080 unless it
            names one.

            | property | default | meaning |
            | --- | --- | --- |
            """.formatted(WRITE);

    /** A property as text names it, up to the fields of what is in a list. */
    private static final Pattern NAMED =
            Pattern.compile("[`'](fabric\\.[a-z0-9-]+(?:\\.[a-z0-9-]+)*)(?:\\[[^`' ]*)?(?:=[^`']*)?[`']");

    private record Property(String name, String type, String description, String defaultValue) {}

    private static JsonNode metadata(String part) throws IOException {
        try (InputStream stream =
                PropertiesPageTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            return JsonMapper.shared().readTree(stream).get(part);
        }
    }

    private static List<Property> properties() throws IOException {
        List<Property> properties = new ArrayList<>();
        for (JsonNode node : metadata("properties")) {
            if (node.get("name").asString().startsWith("fabric.")) {
                properties.add(new Property(
                        node.get("name").asString(),
                        node.get("type").asString(),
                        node.path("description").asString(""),
                        node.path("defaultValue").asString("")));
            }
        }
        return properties;
    }

    private static String page() throws IOException {
        StringBuilder page = new StringBuilder(HEAD);
        for (Property property : properties()) {
            String shown = property.defaultValue().isEmpty() ? "" : "`" + property.defaultValue() + "`";
            page.append("| `%s` | %s | %s |\n".formatted(property.name(), shown, property.description()));
        }
        return page.toString();
    }

    @Test
    void whenAPropertyExistsThenItIsDescribed() throws IOException {
        assertThat(properties()).hasSizeGreaterThan(50).allSatisfy(property -> {
            assertThat(property.description()).as(property.name()).endsWith(".").hasSizeGreaterThan(10);
            assertThat(property.description()).as(property.name()).doesNotContain("|");
        });
    }

    /** Editors know the values of enums and booleans, and show defaults of numbers, sizes and durations. */
    @Test
    void whenAPropertyTakesTextOrHasNoDefaultThenThereIsAHint() throws Exception {
        List<String> hints = new ArrayList<>();
        for (JsonNode hint : metadata("hints")) {
            hints.add(hint.get("name").asString());
            assertThat(hint.get("values")).as(hint.get("name").asString()).isNotEmpty();
        }
        List<Property> properties = properties();
        assertThat(properties).extracting(Property::name).containsAll(hints);
        assertThat(properties)
                .filteredOn(property -> property.type().matches("java\\.(lang\\.String|nio\\.file\\.Path)")
                        || property.type().matches("java\\.util\\.List<java\\.lang\\..*>"))
                .hasSizeGreaterThan(8)
                .extracting(Property::name)
                .allMatch(hints::contains, "has a hint");
    }

    @Test
    void whenAnyPageNamesAPropertyThenThereIsOne() throws IOException {
        List<String> properties = properties().stream().map(Property::name).toList();
        String actuator = Files.readString(PAGE.resolveSibling("actuator.md"));
        String meters = actuator.substring(actuator.indexOf("## Meters"));
        List<String> unknown = new ArrayList<>();
        int found = 0;
        for (Path page : pages()) {
            Matcher named = NAMED.matcher(Files.readString(page));
            while (named.find()) {
                String name = named.group(1);
                found++;
                boolean known = isMeter(name, meters)
                        || properties.stream()
                                .anyMatch(property -> property.equals(name) || property.startsWith(name + "."));
                if (!known) {
                    unknown.add(page.getFileName() + ": " + name);
                }
            }
        }
        assertThat(found).isGreaterThan(100);
        assertThat(unknown).isEmpty();
    }

    /** The page leaves out what several names of a line begin with. */
    private static boolean isMeter(String name, String meters) {
        return meters.lines().anyMatch(line -> {
            for (int dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
                if (line.contains("`" + name.substring(0, dot + 1)) && line.contains("`" + name.substring(dot) + "`")) {
                    return true;
                }
            }
            return line.contains("`" + name + "`");
        });
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(PAGE.getParent())) {
            return Stream.concat(docs.sorted(), Stream.of(Path.of("..", "README.md"), Path.of("..", "CONTRIBUTING.md")))
                    .filter(page -> page.toString().endsWith(".md"))
                    .toList();
        }
    }

    @Test
    void whenThePageIsReadThenItSaysWhatTheMetadataSays() throws IOException {
        if (Boolean.getBoolean("fabric.docs.write")) {
            Files.writeString(PAGE, page());
        }
        assertThat(PAGE).as("stale? write it with: " + WRITE).exists();
        assertThat(Files.readString(PAGE)).as("stale? write it with: " + WRITE).isEqualTo(page());
    }
}

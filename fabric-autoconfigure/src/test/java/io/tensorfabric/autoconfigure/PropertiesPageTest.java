package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

            A duration without a unit is in seconds, except where it says otherwise; a size without a unit is in bytes. Sizes
            take `B`, `KB`, `MB`, `GB` and `TB`, which are powers of 1024. A value that makes no sense stops the start and is
            named, and so does an unknown property below `fabric`.

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

    private record Property(String name, String type, String description, String defaultValue) {}

    private static List<Property> properties() throws IOException {
        try (InputStream stream =
                PropertiesPageTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            List<Property> properties = new ArrayList<>();
            for (JsonNode node : JsonMapper.shared().readTree(stream).get("properties")) {
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

    @Test
    void whenThePageIsReadThenItSaysWhatTheMetadataSays() throws IOException {
        if (Boolean.getBoolean("fabric.docs.write")) {
            Files.writeString(PAGE, page());
        }
        assertThat(PAGE).as("stale? write it with: " + WRITE).exists();
        assertThat(Files.readString(PAGE)).as("stale? write it with: " + WRITE).isEqualTo(page());
    }
}

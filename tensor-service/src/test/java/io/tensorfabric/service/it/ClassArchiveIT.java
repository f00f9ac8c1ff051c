package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A service that starts from an archive of its classes, which a training run that ended on refresh left. */
@Timeout(120)
@EnabledIfSystemProperty(
        named = "service.jvm",
        matches = ".*-XX:SharedArchiveFile=.*",
        disabledReason = "the build made no archive of the service's classes")
class ClassArchiveIT {

    @TempDir
    Path folder;

    @Test
    void whenThereIsAnArchiveThenTheFabricsClassesComeOutOfIt() throws Exception {
        Path loaded = folder.resolve("loaded");
        try (ServiceProcess service = ServiceProcess.start(folder, "a", "-Xlog:class+load:file=" + loaded)) {
            assertThat(service.get("/actuator/health").get("status").asString()).isEqualTo("UP");
        }
        List<String> lines = Files.readAllLines(loaded);
        for (String name : List.of(
                "io.tensorfabric.autoconfigure.FabricLifecycle",
                "io.tensorfabric.autoconfigure.FabricNodeFactory",
                "io.tensorfabric.service.TensorServiceApplication")) {
            assertThat(lines)
                    .filteredOn(line -> line.contains(" " + name + " source:"))
                    .singleElement()
                    .asString()
                    .contains("source: shared objects file");
        }
    }
}

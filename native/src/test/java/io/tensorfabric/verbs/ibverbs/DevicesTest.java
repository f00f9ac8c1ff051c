package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevicesTest {

    @TempDir
    private Path folder;

    @Test
    void whenTheDeviceFilesAreMissingThenTheContainerIsToBeGivenThem() {
        assertThat(Devices.fileProblem(folder.resolve("none"), List.of("mlx5_0")))
                .hasMessageContaining("mlx5_0")
                .hasMessageContaining("--device=/dev/infiniband");
    }

    @Test
    void whenTheDeviceFilesAreThereThenThereIsNoProblem() throws IOException {
        Files.createFile(folder.resolve("uverbs0"));
        assertThat(Devices.fileProblem(folder, List.of("mlx5_0"))).isNull();
    }

    @Test
    void whenTheDeviceFilesAreClosedToTheUserThenThatIsSaid() throws IOException {
        Path file = Files.createFile(folder.resolve("uverbs0"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        Assumptions.assumeFalse(Files.isReadable(file), "root may read everything");
        assertThat(Devices.fileProblem(folder, List.of("mlx5_0")))
                .hasMessageContaining("may not read and write")
                .hasMessageContaining("uverbs0");
    }
}

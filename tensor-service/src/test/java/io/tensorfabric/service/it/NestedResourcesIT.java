package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.safetensors.SafetensorsEntry;
import io.tensorfabric.tensor.safetensors.SafetensorsFile;
import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Case S08: tensors in resources of an application, beside its classes and within one of its jars, are shipped byte by byte, from
 * the packaged application and from the unpacked one, whatever the name of its folder.
 */
@Timeout(180)
@DisabledIfSystemProperty(named = "service.guest", matches = "true", disabledReason = "the same as on the host")
class NestedResourcesIT {

    private static final Path PACKAGED = Path.of("target", "tensor-service.jar");

    private static final String OWN = "models/own.safetensors";

    private static final String OF_A_JAR = "models/of a jar.safetensors";

    @TempDir
    Path folder;

    private Path home;

    private Path jar;

    private final List<String> expected = new ArrayList<>();

    /** The service's jar with another start class, two resources, and one of these in a jar. */
    @BeforeEach
    void repackage() throws IOException {
        home = Files.createDirectory(folder.resolve("with space and %20"));
        jar = Files.copy(PACKAGED, home.resolve("app.jar"));
        Path own = resource("own", 1);
        Path library = home.resolve("models.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(library))) {
            out.putNextEntry(new JarEntry(OF_A_JAR));
            Files.copy(resource("of-a-jar", 2), out);
        }
        // Jars within jars have to lie there as they are.
        try (FileSystem files = FileSystems.newFileSystem(jar, Map.of("compressionMethod", "STORED"))) {
            Files.createDirectories(files.getPath("BOOT-INF/classes/models"));
            Files.copy(own, files.getPath("BOOT-INF/classes/" + OWN));
            Files.copy(library, files.getPath("BOOT-INF/lib/models.jar"));
            addClasses(files.getPath("BOOT-INF/classes"));
            setStartClass(files.getPath("META-INF/MANIFEST.MF"));
        }
    }

    private static void addClasses(Path target) throws IOException {
        String name = ResourceShipper.class.getName().replace('.', '/');
        Path classes = Path.of("target", "test-classes").resolve(name).getParent();
        Path to = Files.createDirectories(target.resolve(name).getParent());
        try (Stream<Path> files = Files.list(classes)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String simple = file.getFileName().toString();
                if (simple.startsWith(ResourceShipper.class.getSimpleName())) {
                    Files.copy(file, to.resolve(simple));
                }
            }
        }
    }

    private static void setStartClass(Path file) throws IOException {
        Manifest manifest;
        try (InputStream in = Files.newInputStream(file)) {
            manifest = new Manifest(in);
        }
        manifest.getMainAttributes().putValue("Start-Class", ResourceShipper.class.getName());
        try (var out = Files.newOutputStream(file)) {
            manifest.write(out);
        }
    }

    private Path resource(String name, long seed) throws IOException {
        Path file = folder.resolve(name + ".safetensors");
        SafetensorsGenerator.generate(file, 300_000, seed);
        try (SafetensorsFile content = SafetensorsFile.open(file)) {
            for (SafetensorsEntry entry : content.header().entries()) {
                try (Tensor tensor = content.load(entry)) {
                    CRC32C sum = new CRC32C();
                    sum.update(tensor.asByteBuffer());
                    expected.add("shipped/" + entry.name() + " " + entry.byteLength() + " " + sum.getValue());
                }
            }
        }
        return file;
    }

    private void assertShips(String... java) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(java));
        command.addAll(List.of("classpath:" + OWN, "classpath:" + OF_A_JAR));
        Path log = folder.resolve("log");
        Process process = ServiceProcess.builder(command, log).start();
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS))
                    .as(Files.readString(log))
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        List<String> lines = Files.readAllLines(log);
        assertThat(lines).as(Files.readString(log)).contains("shipped");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("shipped/"))
                .hasSizeGreaterThan(2)
                .containsExactlyElementsOf(expected);
    }

    @Test
    void whenResourcesLieInJarsWithinAJarThenTheirTensorsArrive() throws Exception {
        assertShips("-jar", jar.toString());
    }

    @Test
    void whenTheApplicationIsUnpackedThenTheirTensorsArrive() throws Exception {
        Path unpacked = home.resolve("unpacked 100%");
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                Path file = unpacked.resolve(entry.getName());
                Files.createDirectories(entry.isDirectory() ? file : file.getParent());
                if (!entry.isDirectory()) {
                    Files.copy(zip.getInputStream(entry), file);
                }
            }
        }
        assertShips("-cp", unpacked.toString(), "org.springframework.boot.loader.launch.JarLauncher");
    }
}

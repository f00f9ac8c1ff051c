package io.tensorfabric.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.opentest4j.TestAbortedException;

/**
 * Finds real tensor files and vectors that are not part of the repository. Looked for in the folder named by the system
 * property or environment variable {@value #VARIABLE}, then in a folder {@code shared/data} beside the working directory
 * or any folder above it. Tests that need them are skipped, with the reason, where they are missing.
 */
public final class SharedData {

    /** Names a folder with {@code TENSOR_SHA256.tsv} and the files it lists. */
    public static final String VARIABLE = "FABRIC_TEST_DATA";

    private static final String LISTING = "TENSOR_SHA256.tsv";

    private SharedData() {}

    /** The folder with real files and {@code TENSOR_SHA256.tsv}, if there is one. */
    public static Optional<Path> findData() {
        return candidates()
                .filter(folder -> Files.isRegularFile(folder.resolve(LISTING)))
                .findFirst();
    }

    /** The folder with real files, or the calling test is skipped. */
    public static Path data() {
        return findData().orElseThrow(() -> skipped("real tensor files (" + LISTING + ")"));
    }

    /** One real file, or the calling test is skipped. */
    public static Path file(String name) {
        Path file = data().resolve(name);
        Assumptions.assumeTrue(Files.isRegularFile(file), () -> "skipped: " + file + " does not exist");
        return file;
    }

    /** The folder with malformed and well-formed safetensors files and {@code INDEX.tsv}, or the test is skipped. */
    public static Path safetensorsVectors() {
        return candidates()
                .map(folder -> folder.resolveSibling("cases").resolve("safetensors-vectors"))
                .filter(folder -> Files.isRegularFile(folder.resolve("INDEX.tsv")))
                .findFirst()
                .orElseThrow(() -> skipped("safetensors vectors (../cases/safetensors-vectors/INDEX.tsv)"));
    }

    private static Stream<Path> candidates() {
        return Stream.concat(
                Stream.of(
                                System.getProperty(VARIABLE, ""),
                                Optional.ofNullable(System.getenv(VARIABLE)).orElse(""))
                        .filter(value -> !value.isBlank())
                        .map(Path::of)
                        .map(Path::toAbsolutePath),
                Stream.iterate(Path.of("").toAbsolutePath(), folder -> folder != null, Path::getParent)
                        .map(folder -> folder.resolve("shared").resolve("data")));
    }

    private static TestAbortedException skipped(String what) {
        return new TestAbortedException("skipped: no " + what + " found; set " + VARIABLE + " to their folder");
    }
}

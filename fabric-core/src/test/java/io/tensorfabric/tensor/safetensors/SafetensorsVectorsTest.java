package io.tensorfabric.tensor.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.testing.SharedData;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every vector of the collection gets its verdict, as a file and as a stream of unknown length. */
class SafetensorsVectorsTest {

    @TestFactory
    List<DynamicTest> everyVectorGetsItsVerdict() throws IOException {
        Path folder = SharedData.safetensorsVectors();
        List<DynamicTest> tests = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("INDEX.tsv"))) {
            String[] fields = line.split("\t", -1);
            if (fields[0].endsWith(".safetensors")) {
                tests.add(DynamicTest.dynamicTest(
                        fields[0] + " " + fields[1], () -> check(folder.resolve(fields[0]), fields[1])));
            }
        }
        assertThat(tests).hasSizeGreaterThan(70);
        return tests;
    }

    private static void check(Path file, String expected) throws IOException {
        if (expected.startsWith("ACCEPT")) {
            try (SafetensorsFile opened = SafetensorsFile.open(file)) {
                assertThat(opened.header().totalBytes()).isEqualTo(Files.size(file));
            }
            stream(file);
        } else if (expected.startsWith("REJECT")) {
            assertThatThrownBy(() -> SafetensorsFile.open(file)).isExactlyInstanceOf(SafetensorsFormatException.class);
            assertThatThrownBy(() -> stream(file)).isExactlyInstanceOf(SafetensorsFormatException.class);
        } else {
            assertThat(expected).isEqualTo("EITHER");
        }
    }

    private static void stream(Path file) throws IOException {
        long before = OffHeap.allocatedBytes();
        try (InputStream in = Files.newInputStream(file);
                CollectingSink sink = new CollectingSink()) {
            SafetensorsStreamReader.open(in, SafetensorsHeader.UNKNOWN_LENGTH).readAll(sink);
        }
        assertThat(OffHeap.allocatedBytes()).isLessThanOrEqualTo(before);
    }
}

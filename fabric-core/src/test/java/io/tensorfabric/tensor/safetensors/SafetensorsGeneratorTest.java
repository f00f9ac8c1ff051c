package io.tensorfabric.tensor.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorfabric.tensor.DataType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafetensorsGeneratorTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(longs = {8192, 8193, 9999, 65_536, 1 << 20, (3 << 20) + 1})
    void whenASizeIsAskedForThenTheFileHasItExactlyAndIsValid(long bytes) throws IOException {
        Path path = folder.resolve("m");
        SafetensorsLayout layout = SafetensorsGenerator.generate(path, bytes, 7);
        assertThat(Files.size(path)).isEqualTo(bytes).isEqualTo(layout.totalBytes());
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            assertThat(file.header().entries()).isEqualTo(layout.header().entries());
            assertThat(file.header().entries()).anyMatch(entry -> entry.byteLength() == 0);
            assertThat(file.header().entries())
                    .anyMatch(entry -> entry.descriptor().shape().rank() == 0);
        }
    }

    @Test
    void whenSizesAreAllTriedThenEachIsMet() {
        for (long bytes = 8192; bytes < 12_000; bytes++) {
            assertThat(GeneratedModel.layout(bytes, 1).totalBytes()).isEqualTo(bytes);
        }
        for (long bytes : new long[] {1L << 30, (10L << 30) + 3, 100L << 30}) {
            assertThat(GeneratedModel.layout(bytes, 1).totalBytes()).isEqualTo(bytes);
        }
    }

    @Test
    void whenSeedIsEqualThenSoAreTheBytes() throws IOException {
        Path one = folder.resolve("1");
        Path two = folder.resolve("2");
        SafetensorsGenerator.generate(one, 2 << 20, 5);
        SafetensorsGenerator.generate(two, 2 << 20, 5);
        assertThat(Files.mismatch(one, two)).isEqualTo(-1);
        SafetensorsGenerator.generate(two, 2 << 20, 6);
        assertThat(Files.mismatch(one, two)).isNotEqualTo(-1);
    }

    @Test
    void whenLargeEnoughThenManyTypesAppear() {
        Set<DataType> types = GeneratedModel.layout(2 << 20, 1).header().entries().stream()
                .map(entry -> entry.descriptor().dataType())
                .collect(Collectors.toSet());
        assertThat(types)
                .contains(DataType.BF16, DataType.F16, DataType.F32, DataType.F8_E4M3, DataType.I8, DataType.BOOL)
                .contains(DataType.I64, DataType.U8);
    }

    @Test
    void whenTooSmallThenRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> GeneratedModel.layout(8191, 1));
    }
}

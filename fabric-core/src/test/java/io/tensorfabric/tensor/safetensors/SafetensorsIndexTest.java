package io.tensorfabric.tensor.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafetensorsIndexTest {

    private static SafetensorsIndex read(String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return SafetensorsIndex.read(new ByteArrayInputStream(bytes), bytes.length);
    }

    @Test
    void whenRightThenTensorsAndFilesAreKnown() throws IOException {
        SafetensorsIndex index = read("{\"metadata\":{\"total_size\":12,\"x\":[1]},\"extra\":{\"y\":{}},"
                + "\"weight_map\":{\"b\":\"2.safetensors\",\"a\":\"1.safetensors\",\"c\":\"2.safetensors\"}}\n");
        assertThat(index.totalSize()).hasValue(12);
        assertThat(index.shards()).containsExactly("2.safetensors", "1.safetensors");
        assertThat(index.weightMap()).hasSize(3).containsEntry("c", "2.safetensors");
        assertThat(read("{\"weight_map\":{},\"metadata\":{\"total_size\":1.5e9}}")
                        .totalSize())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../other.safetensors",
                "/etc/passwd",
                "a/b",
                "..",
                ".",
                "",
                " ",
                "C:\\\\x",
                "a\\\\b",
                "C:x",
                "a\\u0000b",
                "a\\nb",
                "x\\u002f..\\u002fy"
            })
    void whenFileNameLeavesTheFolderThenRefused(String name) {
        assertThatThrownBy(() -> read("{\"weight_map\":{\"a\":\"" + name + "\"}}"))
                .isExactlyInstanceOf(SafetensorsFormatException.class)
                .hasMessageContaining("plain file name");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"weight_map\":[]}",
                "{\"weight_map\":{\"a\":1}}",
                "{\"weight_map\":{\"a\":null}}",
                "{\"weight_map\":{\"a\":\"x\",\"a\":\"y\"}}",
                "{\"weight_map\":{}}x",
                "{\"weight_map\":{}",
                "{\"weight_map\":{\"\\ud83d\":\"x\"}}"
            })
    void whenWrongThenRefused(String json) {
        assertThatThrownBy(() -> read(json)).isExactlyInstanceOf(SafetensorsFormatException.class);
    }

    @Test
    void whenNameIsVeryLongThenRefused() {
        assertThatThrownBy(() -> read("{\"weight_map\":{\"a\":\"" + "x".repeat(4096) + "\"}}"))
                .isExactlyInstanceOf(SafetensorsFormatException.class);
    }

    @Test
    void whenALinkLeadsOutThenNotResolved(@TempDir Path folder) throws IOException {
        Path inside = Files.createDirectory(folder.resolve("model"));
        Path outside = Files.writeString(folder.resolve("secret"), "x");
        Files.createSymbolicLink(inside.resolve("link"), outside);
        Files.writeString(inside.resolve("real"), "x");
        Files.createSymbolicLink(inside.resolve("alias"), inside.resolve("real"));
        SafetensorsIndex index = read("{\"weight_map\":{\"a\":\"link\",\"b\":\"real\",\"c\":\"alias\"}}");
        assertThat(index.resolve(inside, "real")).isEqualTo(inside.resolve("real"));
        assertThat(index.resolve(inside, "alias")).isEqualTo(inside.resolve("alias"));
        assertThatThrownBy(() -> index.resolve(inside, "link"))
                .isExactlyInstanceOf(SafetensorsFormatException.class)
                .hasMessageContaining("leads out");
        assertThatIllegalArgumentException().isThrownBy(() -> index.resolve(inside, "../secret"));
    }
}

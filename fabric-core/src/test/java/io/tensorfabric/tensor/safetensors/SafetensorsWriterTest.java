package io.tensorfabric.tensor.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafetensorsWriterTest {

    private static byte[] floats(int count) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            buffer.putFloat(i);
        }
        return buffer.array();
    }

    private static byte[] written(List<Tensor> tensors, Map<String, String> metadata) throws IOException {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        ByteArrayOutputStream channel = new ByteArrayOutputStream();
        SafetensorsLayout layout = SafetensorsWriter.layoutOf(tensors, metadata);
        SafetensorsWriter.write(layout, SafetensorsWriter.sourceOf(tensors), stream);
        SafetensorsWriter.write(layout, SafetensorsWriter.sourceOf(tensors), Channels.newChannel(channel));
        assertThat(channel.toByteArray()).isEqualTo(stream.toByteArray());
        assertThat(layout.totalBytes()).isEqualTo(stream.size());
        return stream.toByteArray();
    }

    private static byte[] expected(int headerLength, String header, byte[] data) {
        assertThat(header.length()).isEqualTo(headerLength);
        byte[] file = Vectors.prefixed(headerLength, header.getBytes(StandardCharsets.UTF_8), data.length);
        System.arraycopy(data, 0, file, 8 + headerLength, data.length);
        return file;
    }

    @Test
    void whenHeaderFitsThenNoPadding() throws IOException {
        try (Tensor tensor = Tensor.copyOf("attn.0", DataType.F32, Shape.of(1, 2, 3), floats(6))) {
            assertThat(written(List.of(tensor), Map.of()))
                    .isEqualTo(expected(
                            64,
                            "{\"attn.0\":{\"dtype\":\"F32\",\"shape\":[1,2,3],\"data_offsets\":[0,24]}}",
                            floats(6)));
        }
    }

    @Test
    void whenHeaderDoesNotFitThenPaddedWithSpaces() throws IOException {
        try (Tensor tensor = Tensor.copyOf("attn0", DataType.F32, Shape.of(1, 1, 2, 3), floats(6))) {
            assertThat(written(List.of(tensor), Map.of()))
                    .isEqualTo(expected(
                            72,
                            "{\"attn0\":{\"dtype\":\"F32\",\"shape\":[1,1,2,3],\"data_offsets\":[0,24]}}       ",
                            floats(6)));
        }
    }

    @Test
    void whenThereAreNoTensorsThenHeaderAlone() throws IOException {
        assertThat(written(List.of(), Map.of())).isEqualTo(expected(8, "{}      ", new byte[0]));
        assertThat(written(List.of(), Map.of("framework", "pt")))
                .isEqualTo(expected(40, "{\"__metadata__\":{\"framework\":\"pt\"}}     ", new byte[0]));
    }

    @Test
    void whenTextNeedsEscapingThenOnlyThatIsEscaped() {
        String name = "q\"b\\c\b\f\n\r\t\u0001\u001f/\u00e4\uD83D\uDE00\u007f";
        byte[] bytes = SafetensorsLayout.of(List.of(new TensorDescriptor(name, DataType.U8, Shape.of(0))))
                .headerBytes();
        assertThat(new String(bytes, 8, bytes.length - 8, StandardCharsets.UTF_8))
                .startsWith("{\"q\\\"b\\\\c\\b\\f\\n\\r\\t\\u0001\\u001f/\u00e4\uD83D\uDE00\u007f\":");
    }

    @Test
    void whenTypesAreMixedThenWidestFirstAndNamesInOrderOfTheirBytes() throws IOException {
        List<TensorDescriptor> descriptors = new ArrayList<>();
        for (DataType type : DataType.values()) {
            descriptors.add(new TensorDescriptor("t" + type, type, Shape.of(8)));
        }
        // U+FF61 sorts after U+1F600 as UTF-16, before it as UTF-8.
        descriptors.add(new TensorDescriptor("\uD83D\uDE00", DataType.U8, Shape.of(1)));
        descriptors.add(new TensorDescriptor("\uFF61", DataType.U8, Shape.of(1)));
        descriptors.add(new TensorDescriptor("a", DataType.U8, Shape.of(1)));
        byte[] first = SafetensorsLayout.of(descriptors).headerBytes();
        for (int seed = 0; seed < 5; seed++) {
            Collections.shuffle(descriptors, new Random(seed));
            assertThat(SafetensorsLayout.of(descriptors).headerBytes()).isEqualTo(first);
        }
        assertThat(SafetensorsLayout.of(descriptors).header().entries())
                .extracting(SafetensorsEntry::name)
                .containsExactly(
                        "tU64",
                        "tI64",
                        "tF64",
                        "tC64",
                        "tF32",
                        "tU32",
                        "tI32",
                        "tBF16",
                        "tF16",
                        "tU16",
                        "tI16",
                        "tF8_E5M2FNUZ",
                        "tF8_E4M3FNUZ",
                        "tF8_E8M0",
                        "tF8_E4M3",
                        "tF8_E5M2",
                        "tI8",
                        "a",
                        "tU8",
                        "\uFF61",
                        "\uD83D\uDE00",
                        "tF6_E3M2",
                        "tF6_E2M3",
                        "tF4",
                        "tBOOL");
    }

    @Test
    void whenWrittenThenTheReaderFindsTheSame() throws IOException {
        try (Tensor scalar = Tensor.copyOf("s", DataType.F32, Shape.of(), floats(1));
                Tensor empty = Tensor.copyOf("e", DataType.F32, Shape.of(1, 8, 0, 128), new byte[0]);
                Tensor mask = Tensor.copyOf("m", DataType.BOOL, Shape.of(3), new byte[] {0, 2, 1})) {
            byte[] file = written(List.of(mask, empty, scalar), Map.of("b", "2", "a", "1"));
            SafetensorsHeader header = Vectors.parse(file);
            assertThat(header.entries())
                    .extracting(SafetensorsEntry::descriptor)
                    .containsExactly(empty.descriptor(), scalar.descriptor(), mask.descriptor());
            assertThat(header.metadata().keySet()).containsExactly("a", "b");
            assertThat(Arrays.copyOfRange(file, file.length - 3, file.length)).containsExactly(0, 2, 1);
        }
    }

    @Test
    void whenNamesCollideThenRefused() {
        TensorDescriptor tensor = new TensorDescriptor("a", DataType.U8, Shape.of(1));
        assertThatIllegalArgumentException().isThrownBy(() -> SafetensorsLayout.of(List.of(tensor, tensor)));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        SafetensorsLayout.of(List.of(new TensorDescriptor("__metadata__", DataType.U8, Shape.of(1)))));
        TensorDescriptor huge = new TensorDescriptor("h", DataType.U8, Shape.of(1L << 59));
        List<TensorDescriptor> many = Stream.iterate(0, i -> i + 1)
                .limit(20)
                .map(i -> new TensorDescriptor("h" + i, huge.dataType(), huge.shape()))
                .toList();
        assertThatIllegalArgumentException().isThrownBy(() -> SafetensorsLayout.of(many));
    }

    @Test
    void whenReplacingAFileThenItsReadersKeepTheOldContent(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("model.safetensors");
        try (Tensor old = Tensor.copyOf("a", DataType.F32, Shape.of(6), floats(6));
                Tensor fresh = Tensor.copyOf("b", DataType.U8, Shape.of(1), new byte[] {7})) {
            SafetensorsWriter.write(List.of(old), Map.of(), path);
            try (SafetensorsFile open = SafetensorsFile.open(path)) {
                SafetensorsWriter.write(List.of(fresh), Map.of(), path);
                try (Tensor read = open.load(open.header().find("a").orElseThrow())) {
                    assertThat(read.asByteBuffer()).isEqualTo(old.asByteBuffer());
                }
            }
            assertThat(Vectors.parse(Files.readAllBytes(path)).byName()).containsOnlyKeys("b");
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(path);
        }
    }

    @Test
    void whenTheSourceFailsThenTheOldFileStaysAndNothingElse(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("model.safetensors");
        Files.writeString(path, "old");
        SafetensorsLayout layout = SafetensorsLayout.of(List.of(new TensorDescriptor("a", DataType.U8, Shape.of(1))));
        assertThatThrownBy(() -> SafetensorsWriter.write(
                        layout,
                        entry -> {
                            throw new IOException("gone");
                        },
                        path))
                .isInstanceOf(IOException.class)
                .hasMessage("gone");
        assertThat(path).hasContent("old");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(path);
        }
    }
}

package io.tensorfabric.tensor.safetensors;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.SharedData;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RealFilesTest {

    /** A line of {@code TENSOR_SHA256.tsv}. */
    private record Expected(String file, String tensor, String dataType, String shape, long bytes, String sha256) {}

    private static List<Expected> expectations() throws IOException {
        return Files.readAllLines(SharedData.data().resolve("TENSOR_SHA256.tsv")).stream()
                .skip(1)
                .map(line -> line.split("\t"))
                .map(f -> new Expected(f[0], f[1], f[2], f[3], Long.parseLong(f[4]), f[5]))
                .toList();
    }

    @Test
    void everyTensorOfEveryRealFileHashesRight() throws Exception {
        List<Expected> expectations = expectations();
        // The listing is complete: no file holds a tensor that is not in it.
        for (String name : expectations.stream().map(Expected::file).distinct().toList()) {
            try (SafetensorsFile file = SafetensorsFile.open(SharedData.file(name))) {
                assertThat(expectations.stream()
                                .filter(e -> e.file.equals(name))
                                .map(Expected::tensor))
                        .containsExactlyInAnyOrderElementsOf(
                                file.header().byName().keySet());
            }
        }
        for (Expected expected : expectations) {
            try (SafetensorsFile file = SafetensorsFile.open(SharedData.file(expected.file));
                    Tensor tensor =
                            file.load(file.header().find(expected.tensor).orElseThrow())) {
                check(tensor, expected);
            }
        }
    }

    @Test
    void everyTensorReadAsAStreamHashesRight() throws Exception {
        List<Expected> expectations = expectations();
        for (String name : expectations.stream().map(Expected::file).distinct().toList()) {
            byte[] content = Files.readAllBytes(SharedData.file(name));
            List<SafetensorsStreamReader> readers = List.of(
                    SafetensorsStreamReader.open(new ByteArrayInputStream(content), content.length),
                    SafetensorsStreamReader.open(Channels.newChannel(new ByteArrayInputStream(content)), -1));
            for (SafetensorsStreamReader reader : readers) {
                try (CollectingSink sink = new CollectingSink()) {
                    reader.readAll(sink);
                    for (Expected expected : expectations) {
                        if (expected.file.equals(name)) {
                            check(sink.tensors.get(expected.tensor), expected);
                        }
                    }
                }
            }
        }
    }

    private static void check(Tensor tensor, Expected expected) throws GeneralSecurityException {
        assertThat(tensor.dataType().name()).isEqualTo(expected.dataType);
        assertThat(tensor.shape()).hasToString(expected.shape);
        assertThat(tensor.byteLength()).isEqualTo(expected.bytes);
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(tensor.asByteBuffer());
        assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(expected.sha256);
    }

    @Test
    void whenARealFileIsWrittenAgainThenEveryTensorIsTheSame() throws IOException {
        Path path = SharedData.file("burn-mnist.safetensors");
        try (SafetensorsFile file = SafetensorsFile.open(path);
                CollectingSink sink = new CollectingSink()) {
            SafetensorsStreamReader.open(new ByteArrayInputStream(Files.readAllBytes(path)), Files.size(path))
                    .readAll(sink);
            List<Tensor> tensors = List.copyOf(sink.tensors.values());
            SafetensorsLayout layout =
                    SafetensorsWriter.layoutOf(tensors, file.header().metadata());
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            SafetensorsWriter.write(layout, SafetensorsWriter.sourceOf(tensors), out);
            assertThat(out.size()).isEqualTo(layout.totalBytes());
            SafetensorsHeader again = Vectors.parse(out.toByteArray());
            assertThat(again.byName()).hasSameSizeAs(file.header().byName());
            assertThat(again.metadata()).isEqualTo(file.header().metadata());
        }
    }

    @Test
    void whenRankZeroThenCounterKeepsItsShapeAndValue() throws IOException {
        try (SafetensorsFile file = SafetensorsFile.open(SharedData.file("burn-mnist.safetensors"));
                Tensor counter = file.load(
                        file.header().find("norm1.num_batches_tracked").orElseThrow())) {
            assertThat(counter.dataType()).isEqualTo(DataType.I64);
            assertThat(counter.shape()).isEqualTo(Shape.scalar());
            assertThat(Long.reverseBytes(
                            counter.asByteBuffer().order(ByteOrder.BIG_ENDIAN).getLong()))
                    .isEqualTo(7504);
        }
    }

    @Test
    void whenShardedThenTheIndexNamesEveryTensorOfEveryShard() throws IOException {
        Path folder = SharedData.data().resolve("flux-sharded");
        SafetensorsIndex index = SafetensorsIndex.read(SharedData.file("flux-sharded/" + SafetensorsIndex.FILE_NAME));
        assertThat(index.weightMap()).hasSize(36);
        assertThat(index.totalSize()).hasValue(4305);
        assertThat(index.shards()).hasSize(6);
        long bytes = 0;
        for (String shard : index.shards()) {
            try (SafetensorsFile file = SafetensorsFile.open(index.resolve(folder, shard))) {
                bytes += file.header().dataBytes();
                for (Map.Entry<String, String> weight : index.weightMap().entrySet()) {
                    assertThat(file.header().find(weight.getKey()).isPresent())
                            .isEqualTo(weight.getValue().equals(shard));
                }
            }
        }
        assertThat(bytes).isEqualTo(4305);
        try (SafetensorsFile file = SafetensorsFile.open(
                        index.resolve(folder, index.weightMap().get("bfloat16_3")));
                Tensor tensor = file.load(file.header().find("bfloat16_3").orElseThrow())) {
            byte[] bits = new byte[6];
            tensor.asByteBuffer().get(bits);
            assertThat(bits).containsExactly(0x53, 0xBF, 0xBF, 0xBE, 0x58, 0x3F);
        }
    }
}

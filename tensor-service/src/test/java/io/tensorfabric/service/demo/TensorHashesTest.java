package io.tensorfabric.service.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.safetensors.SafetensorsLayout;
import io.tensorfabric.tensor.safetensors.SafetensorsWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TensorHashesTest {

    private static final String SHA256_OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @Test
    void whenAStreamIsReadThenEveryTensorHasItsHash() throws IOException {
        byte[] content = content();

        Map<String, String> hashes = TensorHashes.of(new ByteArrayInputStream(content), content.length);

        assertThat(hashes)
                .containsEntry("empty", "F32 [0] " + SHA256_OF_NOTHING)
                .containsEntry("abc", "U8 [3] ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void whenTheStreamIsCutThenReadingFails() throws IOException {
        byte[] content = content();
        byte[] cut = Arrays.copyOf(content, content.length - 1);

        assertThatThrownBy(() -> TensorHashes.of(new ByteArrayInputStream(cut), -1))
                .isInstanceOf(EOFException.class);
    }

    private static byte[] content() throws IOException {
        try (Tensor abc = Tensor.copyOf("abc", DataType.U8, Shape.of(3), new byte[] {'a', 'b', 'c'});
                Tensor empty = Tensor.copyOf("empty", DataType.F32, Shape.of(0), new byte[0])) {
            List<Tensor> tensors = List.of(abc, empty);
            SafetensorsLayout layout = SafetensorsWriter.layoutOf(tensors, Map.of());
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            SafetensorsWriter.write(layout, SafetensorsWriter.sourceOf(tensors), out);
            return out.toByteArray();
        }
    }
}

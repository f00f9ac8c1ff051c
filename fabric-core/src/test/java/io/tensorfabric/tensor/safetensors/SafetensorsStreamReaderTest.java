package io.tensorfabric.tensor.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafetensorsStreamReaderTest {

    private byte[] content;
    private SafetensorsHeader header;

    @BeforeEach
    void generate(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("model.safetensors");
        header = SafetensorsGenerator.generate(path, 60_000, 3).header();
        content = Files.readAllBytes(path);
    }

    @Test
    void whenStreamedThenEveryTensorIsInPlaceAndInOrder() throws IOException {
        for (SafetensorsStreamReader reader : new SafetensorsStreamReader[] {
            SafetensorsStreamReader.open(new ByteArrayInputStream(content), content.length),
            SafetensorsStreamReader.open(dripping(content), SafetensorsHeader.UNKNOWN_LENGTH),
            SafetensorsStreamReader.open(Channels.newChannel(new ByteArrayInputStream(content)), content.length)
        }) {
            try (CollectingSink sink = new CollectingSink()) {
                reader.readAll(sink);
                assertThat(sink.completed)
                        .containsExactlyElementsOf(header.byName().keySet());
                header.entries().stream()
                        .filter(entry -> entry.byteLength() > 0)
                        .forEach(entry -> {
                            int start = (int) (header.dataStart() + entry.begin());
                            assertThat(sink.tensors.get(entry.name()).asByteBuffer())
                                    .isEqualTo(ByteBuffer.wrap(content, start, (int) entry.byteLength()));
                        });
            }
        }
    }

    /** A stream that gives a prime number of bytes at a time, as networks do. */
    private static InputStream dripping(byte[] content) {
        return new FilterInputStream(new ByteArrayInputStream(content)) {
            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                return super.read(target, offset, Math.min(length, 97));
            }
        };
    }

    @Test
    void whenBytesAreMissingThenRefusedWhereverItEnds() throws IOException {
        for (int length : new int[] {0, 5, 8, 100, (int) header.dataStart(), content.length - 1}) {
            byte[] cut = Arrays.copyOf(content, length);
            assertThatThrownBy(() -> readAll(new ByteArrayInputStream(cut), SafetensorsHeader.UNKNOWN_LENGTH))
                    .isExactlyInstanceOf(SafetensorsFormatException.class);
            // The length that was promised was right, the connection broke.
            assertThatThrownBy(() -> readAll(new ByteArrayInputStream(cut), content.length))
                    .isExactlyInstanceOf(SafetensorsFormatException.class);
        }
    }

    @Test
    void whenBytesAreLeftOverThenRefused() {
        byte[] longer = Arrays.copyOf(content, content.length + 1);
        assertThatThrownBy(() -> readAll(new ByteArrayInputStream(longer), SafetensorsHeader.UNKNOWN_LENGTH))
                .isExactlyInstanceOf(SafetensorsFormatException.class)
                .hasMessageContaining("goes on");
        assertThatThrownBy(() -> SafetensorsStreamReader.open(new ByteArrayInputStream(longer), longer.length))
                .isExactlyInstanceOf(SafetensorsFormatException.class);
    }

    private static void readAll(InputStream in, long totalBytes) throws IOException {
        try (CollectingSink sink = new CollectingSink()) {
            SafetensorsStreamReader.open(in, totalBytes).readAll(sink);
        }
    }

    @Test
    void whenTensorIsNotWantedThenItIsPassedOver() throws IOException {
        try (CollectingSink wanted = new CollectingSink()) {
            SafetensorsStreamReader reader = SafetensorsStreamReader.open(dripping(content), content.length);
            reader.readAll(new TensorSink() {
                @Override
                public long addressFor(SafetensorsEntry entry) {
                    return entry.name().equals("lm_head.weight") ? wanted.addressFor(entry) : SKIP;
                }

                @Override
                public void completed(SafetensorsEntry entry) {
                    wanted.completed(entry);
                }
            });
            SafetensorsEntry entry = header.find("lm_head.weight").orElseThrow();
            assertThat(wanted.tensors.get("lm_head.weight").asByteBuffer())
                    .isEqualTo(ByteBuffer.wrap(
                            content, (int) (header.dataStart() + entry.begin()), (int) entry.byteLength()));
            assertThat(wanted.completed).hasSameSizeAs(header.entries());
            assertThatIllegalStateException().isThrownBy(() -> reader.readAll(wanted));
        }
    }

    @Test
    void whenSinkOrStreamFailsThenItsOwnExceptionComesThrough() throws IOException {
        SafetensorsStreamReader reader =
                SafetensorsStreamReader.open(new ByteArrayInputStream(content), content.length);
        assertThatThrownBy(() -> reader.readAll(new TensorSink() {
                    @Override
                    public long addressFor(SafetensorsEntry entry) throws IOException {
                        throw new IOException("budget spent");
                    }

                    @Override
                    public void completed(SafetensorsEntry entry) {}
                }))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("budget spent");
        InputStream broken = new FilterInputStream(new ByteArrayInputStream(content)) {
            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                if (length > 8) {
                    throw new IOException("connection reset");
                }
                return super.read(target, offset, length);
            }
        };
        assertThatThrownBy(() -> SafetensorsStreamReader.open(broken, content.length))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("connection reset");
    }

    @Test
    void whenChannelClosesEarlyThenRefused() throws IOException {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source();
                CollectingSink sink = new CollectingSink()) {
            try (Pipe.SinkChannel target = pipe.sink()) {
                target.write(ByteBuffer.wrap(content, 0, (int) header.dataStart() + 20));
            }
            SafetensorsStreamReader reader = SafetensorsStreamReader.open(source, content.length);
            assertThatThrownBy(() -> reader.readAll(sink)).isExactlyInstanceOf(SafetensorsFormatException.class);
        }
    }
}

package io.tensorfabric.tensor.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafetensorsFileTest {

    @TempDir
    private Path folder;

    private long allocatedBefore;

    @BeforeEach
    void remember() {
        allocatedBefore = OffHeap.allocatedBytes();
    }

    @AfterEach
    void nothingLeaks() {
        assertThat(OffHeap.allocatedBytes()).isLessThanOrEqualTo(allocatedBefore);
    }

    @Test
    void whenATensorIsOver2GiBThenItsSizeAndEndAreRight() throws IOException {
        long bytes = (1L << 31) + 5;
        SafetensorsLayout layout =
                SafetensorsLayout.of(List.of(new TensorDescriptor("big", DataType.U8, Shape.of(bytes))));
        Path path = folder.resolve("big.safetensors");
        try (FileChannel sparse = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            long data = layout.header().dataStart();
            sparse.write(ByteBuffer.wrap(layout.headerBytes()));
            sparse.write(ByteBuffer.wrap(new byte[] {(byte) 0xEE}), data + Integer.MAX_VALUE);
            sparse.write(ByteBuffer.wrap(new byte[] {0x11, 0x12, 0x13, 0x14, 0x15}), data + bytes - 5);
        }
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            SafetensorsEntry entry = file.header().find("big").orElseThrow();
            assertThat(entry.byteLength()).isEqualTo(2147483653L);
            long address = OffHeap.allocate(6, 8);
            file.readInto(entry, Integer.MAX_VALUE, 6, address);
            byte[] end = new byte[6];
            OffHeap.copyToArray(address, end, 0, 6);
            OffHeap.free(address);
            assertThat(end).containsExactly(0xEE, 0x11, 0x12, 0x13, 0x14, 0x15);
        }
    }

    @Test
    void whenCutOffWhileReadThenAnInputOutputError() throws IOException {
        Path path = generated(4 << 20);
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            SafetensorsEntry last = file.header().find("lm_head.weight").orElseThrow();
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                channel.truncate(file.header().dataStart() + last.begin() + 10);
            }
            assertThatThrownBy(() -> file.load(last))
                    .isInstanceOf(EOFException.class)
                    .hasMessageContaining("cut off")
                    .hasMessageContaining("lm_head.weight");
            assertThatThrownBy(() -> file.transferTo(last, Channels.newChannel(new ByteArrayOutputStream())))
                    .isInstanceOf(EOFException.class);
        }
    }

    @Test
    void whenReplacedByRenamingThenTheOldContentIsRead() throws IOException {
        Path path = generated(64 << 10);
        byte[] old = Files.readAllBytes(path);
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            Path other = folder.resolve("other");
            SafetensorsGenerator.generate(other, 32 << 10, 2);
            Files.move(other, path, StandardCopyOption.REPLACE_EXISTING);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (SafetensorsEntry entry : file.header().entries()) {
                file.transferTo(entry, Channels.newChannel(out));
            }
            assertThat(ByteBuffer.wrap(out.toByteArray()))
                    .isEqualTo(ByteBuffer.wrap(old).position((int) file.header().dataStart()));
        }
    }

    @Test
    void whenReadInPartsOrWholeThenTheSameBytes() throws IOException {
        Path path = generated(5 << 20);
        byte[] all = Files.readAllBytes(path);
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            for (SafetensorsEntry entry : file.header().entries()) {
                int start = (int) (file.header().dataStart() + entry.begin());
                ByteBuffer expected = ByteBuffer.wrap(all, start, (int) entry.byteLength());
                try (Tensor tensor = file.load(entry)) {
                    assertThat(tensor.asByteBuffer()).isEqualTo(expected);
                }
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                file.transferTo(entry, Channels.newChannel(out));
                assertThat(ByteBuffer.wrap(out.toByteArray())).isEqualTo(expected);
            }
        }
    }

    @Test
    void whenPartIsOutsideOrEntryIsForeignThenRefused() throws IOException {
        try (SafetensorsFile file = SafetensorsFile.open(generated(64 << 10))) {
            SafetensorsEntry entry = file.header().find("model.step").orElseThrow();
            assertThatThrownBy(() -> file.readInto(entry, 1, 8, 4096)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.readInto(entry, -1, 2, 4096)).isInstanceOf(IndexOutOfBoundsException.class);
            SafetensorsEntry foreign = new SafetensorsEntry(entry.descriptor(), entry.begin() + 8, entry.end() + 8);
            assertThatIllegalArgumentException().isThrownBy(() -> file.readInto(foreign, 4096));
        }
    }

    @Test
    void whenFileIsWrongOrMissingThenTheErrorNamesIt() throws IOException {
        Path wrong = folder.resolve("wrong.safetensors");
        Files.write(wrong, Vectors.prefixed(99_999_999, new byte[12], 0));
        assertThatThrownBy(() -> SafetensorsFile.open(wrong))
                .isExactlyInstanceOf(SafetensorsFormatException.class)
                .hasMessageContaining("wrong.safetensors")
                .hasMessageContaining("99999999");
        assertThatThrownBy(() -> SafetensorsFile.open(folder.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }

    private Path generated(long bytes) throws IOException {
        Path path = folder.resolve("model.safetensors");
        SafetensorsGenerator.generate(path, bytes, 1);
        return path;
    }
}

package io.tensorfabric.offheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@EnabledOnOs(OS.LINUX)
class SharedMemoryTest {

    private static final long OWN = ProcessHandle.current().pid();

    private static byte[] token(SharedBlock block) {
        ByteBuffer token = ByteBuffer.allocate(SharedBlock.TOKEN_BYTES);
        block.putToken(token);
        return token.array();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4096, 4096", "5000, 64", "1048577, 2097152"})
    void whenAllocatedThenItIsZeroedAlignedAndFoundByItsRangesOnly(long bytes, long alignment) {
        long address = SharedMemory.allocate(bytes, alignment);
        try {
            assertThat(address % alignment).isZero();
            for (long i = 0; i < bytes; i++) {
                assertThat(OffHeap.getByte(address + i)).isZero();
            }
            assertThat(SharedMemory.find(address, bytes)).isNotNull();
            assertThat(SharedMemory.find(address + bytes, 0)).isNotNull();
            assertThat(SharedMemory.find(address, bytes + 1)).isNull();
            assertThat(SharedMemory.find(address - 1, 1)).isNull();
        } finally {
            SharedMemory.free(address);
        }
        assertThat(SharedMemory.find(address, bytes)).isNull();
        assertThatIllegalArgumentException().isThrownBy(() -> SharedMemory.free(address));
    }

    @Test
    void whenMappedAgainThenWhatIsWrittenIsSeenEvenAfterTheBlockIsFreed() throws Exception {
        long address = SharedMemory.allocate(100_000, 8);
        SharedBlock block = SharedMemory.find(address + 500, 1000);
        assertThat(block).isNotNull();
        try (SharedView view = SharedView.open(OWN, block.descriptor(), block.mappedBytes(), token(block))) {
            long there = view.address() + block.offsetOf(address + 70_000);
            OffHeap.putLong(address + 70_000, 42);
            assertThat(OffHeap.getLong(there)).isEqualTo(42);
            SharedMemory.free(address);
            assertThat(OffHeap.getLong(there)).isEqualTo(42);
        }
    }

    @Test
    void whenABlockIsThereThenNoFileOfItIsInTheFolder() throws IOException {
        long address = SharedMemory.allocate(1000, 8);
        try {
            // An empty one is of another process, which is about to take its name away, or was killed just before.
            assertThat(files()).allMatch(file -> file.length() == 0);
        } finally {
            SharedMemory.free(address);
        }
    }

    private static List<File> files() throws IOException {
        try (Stream<Path> files = Files.list(SharedBlock.FOLDER)) {
            return files.filter(file -> file.getFileName().toString().startsWith(SharedBlock.PREFIX))
                    .map(Path::toFile)
                    .toList();
        }
    }

    @Test
    void whenTheTokenTheSizeOrTheProcessIsWrongThenNothingIsMapped() {
        long address = SharedMemory.allocate(10_000, 8);
        try {
            SharedBlock block = SharedMemory.find(address, 1);
            long bytes = block.mappedBytes();
            byte[] wrong = token(block);
            wrong[0]++;
            int descriptor = block.descriptor();
            assertThatThrownBy(() -> SharedView.open(OWN, descriptor, bytes, wrong))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> SharedView.open(OWN, descriptor, bytes - OffHeap.pageSize(), token(block)))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> SharedView.open(OWN, descriptor, bytes + 1, token(block)))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> SharedView.open(1L << 40, descriptor, bytes, token(block)))
                    .isInstanceOf(IOException.class);
        } finally {
            SharedMemory.free(address);
        }
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2"})
    void whenTheDescriptorIsOfSomethingElseThenItIsNotOpened(int descriptor) {
        byte[] token = new byte[SharedBlock.TOKEN_BYTES];
        assertThatThrownBy(() -> SharedView.open(OWN, descriptor, OffHeap.pageSize(), token))
                .isInstanceOf(IOException.class);
    }

    @Test
    void whenABlockHasAGigabyteAndABoundaryToKeepThenItIsOneBlock() throws IOException {
        long size = 1L << 30;
        assumeTrue(Files.getFileStore(Path.of("/dev/shm")).getUsableSpace() > 4 * size, "/dev/shm has no room for it");
        long address = SharedMemory.allocate(size, 1 << 16);
        try {
            assertThat(SharedMemory.find(address, size)).isNotNull();
            OffHeap.putLong(address + size - 8, 7);
            assertThat(OffHeap.getLong(address + size - 8)).isEqualTo(7);
        } finally {
            SharedMemory.free(address);
        }
    }

    @Test
    void whenThereIsNotSoMuchThenTheErrorSaysSo() {
        assertThatThrownBy(() -> SharedMemory.allocate(SharedBlock.MAX_BYTES + 1, 8))
                .isInstanceOf(OffHeapAllocationException.class)
                .hasMessageContaining(String.valueOf(SharedBlock.MAX_BYTES + 1));
    }

    @Test
    void whenShownThenNothingSecretIsIn() {
        long address = SharedMemory.allocate(4096, 8);
        try {
            assertThat(SharedMemory.find(address, 1)).hasToString("SharedBlock[4096 bytes]");
        } finally {
            SharedMemory.free(address);
        }
    }
}

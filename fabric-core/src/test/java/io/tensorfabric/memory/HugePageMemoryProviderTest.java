package io.tensorfabric.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.offheap.HugePages;
import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HugePageMemoryProviderTest {

    @TempDir
    Path folder;

    private HugePageMemoryProvider without(String transparent) throws IOException {
        Path mode = Files.writeString(folder.resolve("enabled"), transparent);
        return new HugePageMemoryProvider(new HugePages.Search(null, "no hugetlbfs is mounted"), mode);
    }

    @ParameterizedTest
    @CsvSource({
        "[always] madvise never, 'transparent huge pages, since no hugetlbfs is mounted'",
        "always [madvise] never, only for programs that ask",
        "always madvise [never], are off"
    })
    void whenNoneAreSetAsideThenTheKernelsModeIsTold(String mode, String text) throws IOException {
        assertThat(without(mode).pages()).contains(text).contains("no hugetlbfs is mounted");
    }

    @Test
    void whenNoneAreSetAsideThenMemoryIsOrdinaryAndAPoolSaysSo() throws IOException {
        long before = OffHeap.allocatedBytes();
        MemoryPoolOptions options = new MemoryPoolOptions(1 << 20, 1 << 20, 256, Duration.ofSeconds(1));
        try (MemoryRegionPool pool =
                MemoryRegionPool.create("p", new FakeDomain(), without("[never]"), options, false)) {
            pool.acquire(1000, "a test").close();
            assertThat(pool.pages()).startsWith("ordinary pages: ");
            assertThat(OffHeap.allocatedBytes()).isGreaterThan(before);
        }
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
    }

    @Test
    void whenThisMachineIsAskedThenMemoryComesAndGoesEitherWay() {
        HugePageMemoryProvider provider = new HugePageMemoryProvider();
        long before = OffHeap.allocatedBytes();
        long address = provider.allocate(4 << 20, 2 << 20);
        assertThat(address % (2 << 20)).isZero();
        OffHeap.fill(address, 4 << 20, (byte) 1);
        provider.free(address);
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
        assertThat(provider.pages()).isNotBlank();
    }
}

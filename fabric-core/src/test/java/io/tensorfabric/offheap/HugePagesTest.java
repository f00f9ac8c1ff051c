package io.tensorfabric.offheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ordinary files stand for huge pages, which few machines have set aside. */
class HugePagesTest {

    @TempDir
    Path folder;

    private Path mounts;

    private Path mounted;

    private Path kernel;

    @BeforeEach
    void prepare() throws IOException {
        mounts = folder.resolve("mounts");
        mounted = Files.createDirectory(folder.resolve("huge"));
        kernel = folder.resolve("mm");
        setAside("64kB", 4, 0);
    }

    private void setAside(String size, int pages, int more) throws IOException {
        Path pool = Files.createDirectories(kernel.resolve("hugepages/hugepages-" + size));
        Files.writeString(pool.resolve("nr_hugepages"), pages + "\n");
        Files.writeString(pool.resolve("nr_overcommit_hugepages"), more + "\n");
    }

    private HugePages.Search find(String options) throws IOException {
        Files.writeString(
                mounts, "proc /proc proc rw 0 0\nhugetlbfs " + mounted + " hugetlbfs rw,relatime" + options + " 0 0\n");
        return HugePages.find(mounts, kernel);
    }

    @Test
    void whenPagesAreMountedAndSetAsideThenBlocksOfThemHaveNoNameAndComeBack() throws IOException {
        HugePages.Search search = find(",pagesize=64K");
        assertThat(search.reason()).isEqualTo("huge pages of 64 KiB from " + mounted);
        HugePages pages = Objects.requireNonNull(search.pages());
        assertThat(pages.pageSize()).isEqualTo(65_536);
        long address = pages.allocate(100_000, 4096);
        assertThat(pages.owns(address)).isTrue();
        OffHeap.fill(address, 131_072, (byte) 7);
        assertThat(OffHeap.getByte(address + 131_071)).isEqualTo((byte) 7);
        try (Stream<Path> left = Files.list(mounted)) {
            assertThat(left).isEmpty();
        }
        pages.free(address);
        assertThat(pages.owns(address)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> pages.free(address));
    }

    @Test
    void whenABlockIsTooLargeOrAlignedToMoreThanAPageThenItIsRefused() throws IOException {
        HugePages pages = Objects.requireNonNull(find(",pagesize=64K").pages());
        assertThatThrownBy(() -> pages.allocate((1L << 30) + 1, 8)).isInstanceOf(OffHeapAllocationException.class);
        assertThatThrownBy(() -> pages.allocate(10, 131_072))
                .isInstanceOf(OffHeapAllocationException.class)
                .hasMessageContaining("huge pages")
                .hasMessageContaining("65536");
    }

    @Test
    void whenTheMountIsGoneThenTheFailureNamesIt() throws IOException {
        HugePages pages = Objects.requireNonNull(find(",pagesize=64K").pages());
        Files.delete(mounted);
        assertThatThrownBy(() -> pages.allocate(10, 8))
                .isInstanceOf(OffHeapAllocationException.class)
                .hasMessageContaining(mounted.toString());
    }

    @Test
    void whenThereAreNoneThenTheReasonSaysWhy() throws IOException {
        assertThat(find("").reason()).isEqualTo("no pages are set aside for " + mounted);
        assertThat(find("").pages()).isNull();
        setAside("2048kB", 0, 1);
        assertThat(find("").reason()).isEqualTo("huge pages of 2048 KiB from " + mounted);
        Files.writeString(mounts, "proc /proc proc rw 0 0\n");
        assertThat(HugePages.find(mounts, kernel).reason()).isEqualTo("no hugetlbfs is mounted");
        Files.delete(mounts);
        assertThat(HugePages.find(mounts, kernel).reason()).contains("has no " + mounts);
    }
}

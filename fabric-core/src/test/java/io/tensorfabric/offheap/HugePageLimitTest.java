package io.tensorfabric.offheap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HugePageLimitTest {

    private static final long MIB = 1 << 20;

    @TempDir
    Path groups;

    private void write(String name, String text) throws IOException {
        Path file = groups.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    @Test
    void whenThereIsNoControllerThenNothingIsLimited() {
        assertThat(new HugePageLimit(groups, 2 * MIB).left()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whenAGroupHasALimitThenWhatIsInUseCountsAgainstIt() throws IOException {
        write("hugetlb.2MB.max", "8388608");
        write("hugetlb.2MB.current", "2097152");
        write("hugetlb.1GB.max", "max");
        write("hugetlb/hugetlb.64KB.limit_in_bytes", "65536");
        write("hugetlb/hugetlb.64KB.usage_in_bytes", "0");
        assertThat(new HugePageLimit(groups, 2 * MIB).left()).isEqualTo(6 * MIB);
        assertThat(new HugePageLimit(groups, 1024 * MIB).left()).isEqualTo(Long.MAX_VALUE);
        assertThat(new HugePageLimit(groups, 65_536).left()).isEqualTo(65_536);
    }
}

package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativePlatformTest {

    private static final String MOUNTS = """
            overlay / overlay rw,relatime 0 0
            tmpfs /tmp tmpfs rw,nosuid,nodev,noexec 0 0
            tmpfs /tmp/exec tmpfs rw,relatime 0 0
            tmpfs /mnt/with\\040space tmpfs rw,noexec 0 0
            """;

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, linux-x86_64",
        "Linux, x86_64, linux-x86_64",
        "Linux, aarch64, linux-aarch64",
        "Linux, riscv64, linux-riscv64",
        "Mac OS X, aarch64, macosx-aarch64"
    })
    void whenSystemAndProcessorAreKnownThenTheFolderFollows(String system, String processor, String expected) {
        assertThat(NativePlatform.name(system, processor)).isEqualTo(expected);
    }

    @Test
    void whenTheInnermostMountForbidsExecutionThenItIsSeen() {
        assertThat(NativePlatform.isNoExec(Path.of("/tmp"), MOUNTS)).isTrue();
        assertThat(NativePlatform.isNoExec(Path.of("/tmp/a/b"), MOUNTS)).isTrue();
        assertThat(NativePlatform.isNoExec(Path.of("/tmp/exec/a"), MOUNTS)).isFalse();
        assertThat(NativePlatform.isNoExec(Path.of("/tmpfiles"), MOUNTS)).isFalse();
        assertThat(NativePlatform.isNoExec(Path.of("/mnt/with space/a"), MOUNTS))
                .isTrue();
        assertThat(NativePlatform.isNoExec(Path.of("/tmp"), "")).isFalse();
    }

    @Test
    void whenTheLoaderIsMuslsThenItIsSeen() {
        assertThat(NativePlatform.isMusl("7f00-7f01 r-xp 0 0:0 1 /lib/ld-musl-x86_64.so.1\n"))
                .isTrue();
        assertThat(NativePlatform.isMusl("7f00-7f01 r-xp 0 0:0 1 /lib64/ld-linux-x86-64.so.2\n"))
                .isFalse();
    }

    @Test
    void whenThePlatformIsDescribedThenItsLibraryIsToo() {
        assertThat(NativePlatform.describe("linux-x86_64", "7f00-7f01 r-xp 0 0:0 1 /lib/ld-musl-x86_64.so.1\n"))
                .isEqualTo("linux-x86_64 with musl");
        assertThat(NativePlatform.describe("linux-x86_64", "7f00-7f01 r-xp 0 0:0 1 /lib64/ld-linux-x86-64.so.2\n"))
                .isEqualTo("linux-x86_64 with glibc");
        assertThat(NativePlatform.describe("macosx-aarch64", "")).isEqualTo("macosx-aarch64");
    }
}

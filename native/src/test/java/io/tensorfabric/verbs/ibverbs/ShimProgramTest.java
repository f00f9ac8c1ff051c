package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shim's own test program, built with the address and undefined-behaviour sanitizers. */
class ShimProgramTest {

    @TempDir
    private Path folder;

    @Test
    void whenTheProgramOfTheShimRunsThenAllItsTestsPass() throws Exception {
        Path program = Path.of(System.getProperty("native.build.directory", "target/native"))
                .resolve(NativePlatform.name())
                .resolve("shim_test");
        Assumptions.assumeTrue(Files.isExecutable(program), "the build has no test program of the shim: " + program);
        Path log = folder.resolve("shim_test.log");
        Process process = new ProcessBuilder(program.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(Files.readString(log)).contains("all C tests passed");
        assertThat(process.exitValue()).isZero();
    }
}

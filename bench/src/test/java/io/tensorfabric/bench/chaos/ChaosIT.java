package io.tensorfabric.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ChaosIT {

    @TempDir
    Path folder;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void whenThreeProcessesAreDisturbedUnderLoadThenTheyKeepTheirPromises() {
        StringWriter output = new StringWriter();

        int status = ChaosApplication.commandLine()
                .setOut(new PrintWriter(output))
                .execute("--seconds", "20", "--seed", "42", "--folder", folder.toString());

        System.out.println(output);
        assertThat(output.toString().strip().lines().reduce((first, second) -> second))
                .hasValueSatisfying(last ->
                        assertThat(last).matches("chaos ok: [1-9]\\d{2,} pushes, [1-9]\\d* faults, 0 violations"));
        assertThat(status).isZero();
        assertThat(output.toString())
                .containsPattern("fault +KILL +[1-9]")
                .containsPattern("fault +STOP +[1-9]")
                .containsPattern("fault +(CUT_DATA|PARTITION) +[1-9]");
    }
}

package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class CpuTimeTest {

    @Test
    void whenAThreadWorksThenItsTimeIsCounted() throws IOException {
        CpuTime before = CpuTime.of(ProcessHandle.current());
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long used;
        do {
            used = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
        } while (used < TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(CpuTime.of(ProcessHandle.current()).since(before)).isGreaterThanOrEqualTo(0.9 * used);
    }
}

package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NearProcessorsTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "3", "0-15,32-47", "1,3,5-7", "127"})
    void whenAListIsReadThenItPrintsTheSame(String list) {
        assertThat(NearProcessors.format(NearProcessors.parse(list))).isEqualTo(list);
    }

    @Test
    void whenTheDeviceHasANodeThenItsProcessorsAreNear(@TempDir Path device) throws Exception {
        Files.createDirectory(device.resolve("device"));
        Files.writeString(device.resolve("device/local_cpulist"), "16-31\n");
        assertThat(NearProcessors.of(device).stream()).hasSize(16).contains(16, 31);
    }

    @Test
    void whenTheDeviceIsSoftwareThenNoneIsNear(@TempDir Path device) {
        assertThat(NearProcessors.of(device).isEmpty()).isTrue();
    }

    @Test
    @EnabledIf(value = "io.tensorfabric.verbs.ibverbs.Shim#present", disabledReason = "the build has no native shim")
    void whenBoundThenTheThreadRunsThereOnly() throws Exception {
        Shim.load();
        BitSet allowed = NearProcessors.parse(allowed());
        BitSet last = new BitSet();
        last.set(allowed.length() - 1);
        BitSet unknown = new BitSet();
        unknown.set(8000);
        String bound = onAThread(() -> {
            assertThat(NearProcessors.bind(new BitSet())).isFalse();
            assertThat(NearProcessors.bind(unknown)).isFalse();
            assertThat(allowed()).isEqualTo(NearProcessors.format(allowed));
            assertThat(NearProcessors.bind(last)).isTrue();
            return allowed();
        });
        assertThat(bound).isEqualTo(NearProcessors.format(last));
        assertThat(allowed()).isEqualTo(NearProcessors.format(allowed));
    }

    private static String onAThread(Callable<String> action) throws Exception {
        FutureTask<String> task = new FutureTask<>(action);
        new Thread(task).start();
        return task.get(30, TimeUnit.SECONDS);
    }

    /** Where the calling thread may run, as proc(5) tells. */
    private static String allowed() throws Exception {
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .map(line -> line.substring(line.indexOf(':') + 1).trim())
                .findFirst()
                .orElseThrow();
    }
}

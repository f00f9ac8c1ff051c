package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** What an operator reads when the fabric cannot start: why, and what to do, and no stack trace. */
class StartUpFaultsIT {

    /** True in the guest with the devices rxe0 and rxe1, whose network may be taken apart. */
    private static final String GUEST = "service.guest";

    private static final String GUEST_ONLY = "runs in the Soft-RoCE guest";

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** The verbs shim comes out of a jar within the jar; in the guest that start would take too long. */
    private static final String[] AS_USERS_HAVE_IT =
            Boolean.getBoolean(GUEST) ? new String[0] : new String[] {ServiceProcess.PACKAGED};

    @TempDir
    Path folder;

    private String output = "";

    private void startAndFail(List<String> prefix, String... options) throws IOException, InterruptedException {
        Path log = Files.createTempFile(folder, "service", ".log");
        List<String> command = new ArrayList<>(prefix);
        command.addAll(ServiceProcess.command("b", options));
        Process process = ServiceProcess.builder(command, log).start();
        boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        process.destroyForcibly().waitFor();
        output = Files.readString(log);
        assertThat(ended).as("ends by itself; it printed:%n%s", output).isTrue();
        assertThat(process.exitValue()).as(output).isNotZero();
    }

    /** Starts a service that is to come up, and stops it. */
    private void start(Path libraries, String... prefix) throws IOException, InterruptedException {
        Path log = Files.createTempFile(folder, "service", ".log");
        List<String> command = new ArrayList<>(List.of(prefix));
        command.addAll(ServiceProcess.command("b", AS_USERS_HAVE_IT));
        ProcessBuilder builder = ServiceProcess.builder(command, log);
        builder.environment().put("LD_LIBRARY_PATH", libraries.toString());
        Process process = builder.start();
        try {
            await().atMost(PATIENCE).until(() -> Files.readString(log).contains("Started TensorServiceApplication"));
        } finally {
            process.destroyForcibly().waitFor();
            output = Files.readString(log);
        }
    }

    private void assertExplained(String... texts) {
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "Description:", "Action:")
                .contains(texts)
                .doesNotContain("\tat ");
    }

    @Test
    @DisabledIfSystemProperty(named = GUEST, matches = "true", disabledReason = "the guest has devices")
    void whenVerbsAreForcedWithoutADeviceThenTheAnalysisSaysWhy() throws Exception {
        Assumptions.assumeFalse(Files.exists(Path.of("/sys/class/infiniband")), "this machine has RDMA");
        startAndFail(List.of(), "--fabric.provider=verbs");
        assertExplained("'fabric.provider' is verbs, but no verbs device can be used", "fabric.provider=soft");
    }

    @Test
    @DisabledIfSystemProperty(named = GUEST, matches = "true", disabledReason = "the same as on the host")
    void whenLibibverbsCannotBeLoadedThenTheServiceStartsAndOneLineSaysSo() throws Exception {
        Path libraries = Files.createDirectory(folder.resolve("libraries"));
        Files.createFile(libraries.resolve("libibverbs.so.1"));
        start(libraries);
        assertThat(output.lines())
                .filteredOn(line -> line.contains("libibverbs"))
                .singleElement()
                .asString()
                .contains("software device", "cannot be loaded");
    }

    @Test
    @DisabledIfSystemProperty(named = GUEST, matches = "true", disabledReason = "the same as on the host")
    void whenTheShimIsBrokenThenTheServiceStartsAndOneWarningNamesFileAndPlatform() throws Exception {
        Path broken = Files.createFile(folder.resolve("broken.so"));
        start(folder, "env", "JDK_JAVA_OPTIONS=-Dtensorfabric.native.library=" + broken);
        assertThat(output.lines())
                .filteredOn(line -> line.contains("WARN") && line.contains("broken.so"))
                .singleElement()
                .asString()
                .contains("The software device is in use", "only 0 bytes", "linux-");
    }

    @Test
    @DisabledIfSystemProperty(named = GUEST, matches = "true", disabledReason = "the guest's services use its devices")
    void whenLockedMemoryIsLimitedThenTheSoftwareDeviceDoesNotMind() throws Exception {
        start(folder, "prlimit", "--memlock=65536", "--");
        assertThat(output).contains("The software device is in use");
    }

    @Test
    @EnabledIfSystemProperty(named = GUEST, matches = "true", disabledReason = GUEST_ONLY)
    void whenLockedMemoryIsLimitedThenTheAnalysisNamesTheLimit() throws Exception {
        startAndFail(List.of("setpriv", "--bounding-set=-ipc_lock", "prlimit", "--memlock=1048576"));
        assertExplained(
                "Host memory cannot be registered with rxe1",
                "RLIMIT_MEMLOCK is 1",
                "CAP_IPC_LOCK is not held",
                "Raise the limit of locked memory");
    }

    @Test
    @EnabledIfSystemProperty(named = GUEST, matches = "true", disabledReason = GUEST_ONLY)
    void whenTheDeviceIsUnknownThenTheAnalysisListsThoseThatExist() throws Exception {
        startAndFail(List.of(), "--fabric.device=mlx5_9");
        assertExplained("mlx5_9", "rxe0", "rxe1", "fabric.device");
    }

    @Test
    @EnabledIfSystemProperty(named = GUEST, matches = "true", disabledReason = GUEST_ONLY)
    void whenThePortIsDownThenTheAnalysisSaysSo() throws Exception {
        Cable.set("down eth1");
        startAndFail(List.of());
        assertExplained("rxe1", "DOWN", "ibv_devinfo");
    }

    /** Its table still has the GID that rxe makes of the interface's MAC address, which no route leads to. */
    @Test
    @EnabledIfSystemProperty(named = GUEST, matches = "true", disabledReason = GUEST_ONLY)
    void whenThePortHasNoAddressThenAWarningSaysSo() throws Exception {
        Cable.ip("addr flush dev eth1");
        start(folder);
        assertThat(output.lines())
                .filteredOn(line -> line.contains("WARN"))
                .anyMatch(line -> line.contains("of rxe1 port 1 is link-local")
                        && line.contains("Give the interface a routable address"));
    }

    @AfterEach
    void restoreTheNetwork() throws Exception {
        if (Boolean.getBoolean(GUEST)) {
            Cable.ip("addr replace 10.77.0.2/24 dev eth1");
            Cable.set("up eth1");
        }
    }
}

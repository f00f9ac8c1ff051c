package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Loading the shim, mostly in processes of their own: in each a library is loaded once. */
@EnabledIf(value = "io.tensorfabric.verbs.ibverbs.Shim#present", disabledReason = "the build has no native shim")
class NativeLibraryTest {

    private static final byte[] ELF_AARCH64 = {(byte) 183, 0};

    @TempDir
    private Path folder;

    private ChildJvm child() {
        return new ChildJvm().option("-Djava.io.tmpdir=" + folder);
    }

    private String withLibrary(Path library) throws Exception {
        return child().option("-D" + NativeLibrary.PROPERTY + "=" + library).run(folder);
    }

    private Path copy(byte[] content) throws IOException {
        return Files.write(folder.resolve("shim.so"), content);
    }

    private static byte[] shim() throws IOException {
        return Files.readAllBytes(Shim.file());
    }

    @Test
    void whenLoadedFromTheJarThenNoFileIsLeftAndJniHasNothingToSay() throws Exception {
        String output = child().option("-Xcheck:jni").argument("natives").run(folder);
        assertThat(output).contains("natives called").doesNotContain("WARNING").doesNotContain("FATAL");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).noneMatch(file -> file.toString().endsWith(".so"));
        }
    }

    @Test
    void whenThePathIsGivenThenThatFileIsUsed() throws Exception {
        assertThat(child().option("-D" + NativeLibrary.PROPERTY + "=" + copy(shim()))
                        .argument("natives")
                        .run(folder))
                .contains("natives called");
    }

    @Test
    void whenTheGivenFileIsMissingThenNothingElseIsTried() throws Exception {
        assertThat(withLibrary(folder.resolve("none.so")))
                .contains("available: false")
                .contains("none.so")
                .contains("does not exist");
    }

    @Test
    void whenTheGivenFileIsEmptyOrTextThenItIsRefusedWithTheReason() throws Exception {
        assertThat(withLibrary(copy(new byte[0]))).contains("available: false").contains("only 0 bytes");
        assertThat(withLibrary(copy("x".repeat(1000).getBytes(StandardCharsets.US_ASCII))))
                .contains("available: false")
                .contains("no 64-bit ELF library");
    }

    @Test
    void whenTheGivenFileIsCutOffThenItIsRefusedWithTheReason() throws Exception {
        byte[] all = shim();
        assertThat(withLibrary(copy(Arrays.copyOf(all, all.length / 2))))
                .contains("available: false")
                .contains("cannot be loaded on " + NativePlatform.name() + " with glibc")
                .contains("cut off");
    }

    @Test
    void whenTheGivenFileIsForAnotherProcessorThenBothAreNamed() throws Exception {
        byte[] all = shim();
        System.arraycopy(ELF_AARCH64, 0, all, 18, 2);
        assertThat(withLibrary(copy(all)))
                .contains("available: false")
                .contains("is for aarch64")
                .contains(NativePlatform.name());
    }

    @Test
    void whenTheGivenFileIsOfAnotherVersionThenBothAreNamed() throws Exception {
        byte[] version = NativeLibrary.version().getBytes(StandardCharsets.US_ASCII);
        byte[] all = shim();
        int found = 0;
        for (int i = 0; i + version.length < all.length; i++) {
            if (Arrays.equals(all, i, i + version.length, version, 0, version.length) && all[i + version.length] == 0) {
                all[i] = '9';
                found++;
            }
        }
        assertThat(found).isPositive();
        assertThat(withLibrary(copy(all)))
                .contains("available: false")
                .contains("version 9" + NativeLibrary.version().substring(1))
                .contains("of version " + NativeLibrary.version());
    }

    @Test
    void whenTheJarHasNoLibraryForThePlatformThenThePlatformAndARemedyAreNamed() throws Exception {
        assertThat(child().option("-Dos.arch=riscv64").run(folder))
                .contains("available: false")
                .contains("no native verbs shim for linux-riscv64")
                .contains("software device");
    }

    @Test
    void whenTheTemporaryFolderIsMissingThenItIsNamed() throws Exception {
        String output = new ChildJvm()
                .option("-Djava.io.tmpdir=" + folder.resolve("none"))
                .run(folder);
        assertThat(output)
                .contains("available: false")
                .contains("cannot be copied")
                .contains("java.io.tmpdir");
    }

    /** In a namespace of the process's own, where the kernel allows that. */
    @Test
    void whenTheTemporaryFolderForbidsExecutionThenTheMessageSaysWhatToDo() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("noexec"));
        List<String> mounted = List.of(
                "unshare",
                "-Urm",
                "sh",
                "-c",
                "mount -t tmpfs -o noexec none '" + temporary + "' && exec \"$@\"",
                "sh");
        List<String> probe = new ArrayList<>(mounted);
        probe.add("true");
        Assumptions.assumeTrue(succeeds(probe), "no mount namespaces here");
        assertThat(new ChildJvm()
                        .prefix(mounted)
                        .option("-Djava.io.tmpdir=" + temporary)
                        .run(folder))
                .contains("available: false")
                .contains("The folder " + temporary + " is mounted noexec")
                .contains("-Djava.io.tmpdir")
                .contains("-D" + NativeLibrary.PROPERTY);
    }

    private static boolean succeeds(List<String> command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getInputStream().transferTo(OutputStream.nullOutputStream());
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        }
    }

    @Test
    void whenTheJarsPathHoldsSpacesAndPercentSignsThenItLoads() throws Exception {
        Path odd = Files.createDirectories(folder.resolve("with space and %20"));
        Path classes = Path.of(IbverbsProvider.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path jar = odd.resolve("fabric native.jar");
        pack(classes, jar);
        String rest = Shim.classPath().replace(classes.toString(), "");
        assertThat(child().classPath(jar + ":" + rest).argument("natives").run(folder))
                .contains("natives called");
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream jarOut = new JarOutputStream(out);
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                jarOut.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, jarOut);
            }
        }
    }

    @Test
    void whenLoadedInThreeClassLoadersThenEachGetsACopyOfItsOwn() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (URLClassLoader loader = isolated()) {
                Class<?> library = loader.loadClass(NativeLibrary.class.getName());
                assertThat(library).isNotSameAs(NativeLibrary.class);
                var failure = library.getDeclaredMethod("failure");
                failure.setAccessible(true);
                Object reason = failure.invoke(null);
                assertThat(reason == null ? "" : reason.toString()).doesNotContain("another class");
            }
        }
    }

    private static URLClassLoader isolated() throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : Shim.classPath().split(":")) {
            if (!entry.isEmpty()) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}

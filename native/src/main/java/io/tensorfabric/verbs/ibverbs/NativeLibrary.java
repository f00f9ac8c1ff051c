package io.tensorfabric.verbs.ibverbs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the verbs shim once for each class loader: the file that the system property {@value #PROPERTY} names and no
 * other, else the one in the jar, copied to a file of its own that is deleted at once. Then libibverbs.
 */
final class NativeLibrary {

    /** Path of the shim, instead of the one in the jar. */
    static final String PROPERTY = "tensorfabric.native.library";

    private static final Logger log = LoggerFactory.getLogger(NativeLibrary.class);

    private static final String FOLDER = "META-INF/native/";

    private static final int TEXT = 512;

    /** Set on the way by the attempt below. */
    private static boolean shimLoaded;

    /**
     * The outcome of the one attempt, asked for again and again. Not the error itself: that would keep the classes of all its
     * callers, and so the first application of a process that restarts others.
     */
    private static final @Nullable String FAILURE = tryLoad();

    private NativeLibrary() {}

    /** Why native methods cannot be called, {@code null} when they can. */
    static @Nullable UnsatisfiedLinkError failure() {
        return FAILURE == null ? null : new UnsatisfiedLinkError(FAILURE);
    }

    /** Whether the shim itself can be called, with or without libibverbs. */
    static boolean isShimLoaded() {
        return shimLoaded;
    }

    private static @Nullable String tryLoad() {
        try {
            load();
            return null;
        } catch (UnsatisfiedLinkError failure) {
            log.debug("The verbs shim is not available", failure);
            return failure.getCause() instanceof IOException ex
                    ? failure.getMessage() + " (" + ex + ")"
                    : String.valueOf(failure.getMessage());
        }
    }

    private static void load() {
        String platform = NativePlatform.name();
        String version = version();
        String explicit = System.getProperty(PROPERTY);
        if (explicit == null) {
            loadFromJar(platform, version);
        } else {
            loadFile(explicit, platform);
        }
        checkVersion(version);
        checkLayout();
        shimLoaded = true;
        openLibrary();
    }

    /** Version of the jar, which the library must have too. */
    static String version() {
        Properties properties = new Properties();
        try (InputStream in = NativeLibrary.class.getResourceAsStream("native.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException ex) {
            throw failed("The jar of fabric-native cannot be read", ex);
        }
        return properties.getProperty("version", "unknown");
    }

    private static void loadFile(String name, String platform) {
        String what = "The verbs shim " + name + " (system property " + PROPERTY + ")";
        Path file;
        try {
            file = Path.of(name).toAbsolutePath();
        } catch (InvalidPathException ex) {
            throw failed(what + " is no path", ex);
        }
        if (!Files.isRegularFile(file)) {
            throw failed(what + " does not exist: correct or remove the property", null);
        }
        load(file, what, platform);
    }

    private static void loadFromJar(String platform, String version) {
        String resource = FOLDER + platform + "/libtensorfabric_verbs-" + version + ".so";
        ClassLoader loader = NativeLibrary.class.getClassLoader();
        try (InputStream in = loader == null ? null : loader.getResourceAsStream(resource)) {
            if (in == null) {
                throw failed(
                        "This build contains no native verbs shim for " + platform + " (" + resource
                                + "), so no RDMA card can be opened: use the software device (provider \"soft\") or a"
                                + " build of fabric-native for this platform",
                        null);
            }
            if (NativePlatform.isMusl()) {
                throw failed(
                        "The native verbs shim needs glibc, and this process runs on musl (" + platform
                                + "): use an image with glibc, or the software device (provider \"soft\")",
                        null);
            }
            extractAndLoad(in, resource, platform);
        } catch (IOException ex) {
            throw failed(
                    "The native verbs shim " + resource + " cannot be copied to " + temporaryFolder()
                            + ": make the folder writable, or name another by -Djava.io.tmpdir",
                    ex);
        }
    }

    private static Path temporaryFolder() {
        return Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
    }

    /** A name of its own for each load: one file can be loaded by one class loader only. */
    private static void extractAndLoad(InputStream in, String resource, String platform) throws IOException {
        Path copy = Files.createTempFile(temporaryFolder(), "libtensorfabric_verbs-", ".so");
        try {
            Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
            load(copy, "The verbs shim " + resource, platform);
        } finally {
            Files.deleteIfExists(copy);
        }
    }

    private static void load(Path file, String what, String platform) {
        String problem = ElfFile.problem(file, platform);
        if (problem != null) {
            throw failed(what + " cannot be loaded on " + NativePlatform.describe(platform) + ": " + problem, null);
        }
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError ex) {
            throw failed(
                    what + " cannot be loaded on " + NativePlatform.describe(platform) + ": " + ex.getMessage()
                            + advice(file),
                    ex);
        }
    }

    private static String advice(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        return folder != null && NativePlatform.isNoExec(folder)
                ? ". The folder " + folder + " is mounted noexec: name another by -Djava.io.tmpdir, or unpack the"
                        + " library elsewhere and name it by -D" + PROPERTY
                : "";
    }

    private static void checkVersion(String expected) {
        try (Scratch text = new Scratch(TEXT)) {
            NativeVerbs.version(text.address(), text.size());
            String actual = text.getText(0, text.size());
            if (!actual.equals(expected)) {
                throw failed(
                        "The verbs shim is of version " + actual + " and the jar of fabric-native of version "
                                + expected + ": use those of one release",
                        null);
            }
        }
    }

    private static void checkLayout() {
        List<Layout.Entry> expected = Layout.entries();
        try (Scratch actual = new Scratch(expected.size() * Integer.BYTES)) {
            int count = NativeVerbs.layout(actual.address(), expected.size());
            for (int i = 0; i < Math.min(count, expected.size()); i++) {
                Layout.Entry entry = expected.get(i);
                if (actual.getInt(i * Integer.BYTES) != entry.value()) {
                    throw failed("The verbs shim and the jar of fabric-native disagree on " + entry.name(), null);
                }
            }
            if (count != expected.size()) {
                throw failed("The verbs shim and the jar of fabric-native disagree on the number of fields", null);
            }
        }
    }

    private static void openLibrary() {
        try (Scratch text = new Scratch(TEXT)) {
            if (NativeVerbs.openLibrary(text.address(), text.size()) < 0) {
                throw failed(
                        "libibverbs cannot be loaded: " + text.getText(0, text.size())
                                + ". Install rdma-core (Debian, Ubuntu: libibverbs1 ibverbs-providers; RHEL: rdma-core),"
                                + " or use the software device (provider \"soft\")",
                        null);
            }
        }
    }

    private static UnsatisfiedLinkError failed(String message, @Nullable Throwable cause) {
        UnsatisfiedLinkError failure = new UnsatisfiedLinkError(message);
        if (cause != null) {
            failure.initCause(cause);
        }
        return failure;
    }
}

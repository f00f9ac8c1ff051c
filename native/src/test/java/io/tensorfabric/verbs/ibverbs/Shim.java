package io.tensorfabric.verbs.ibverbs;

import java.io.File;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;

/** The shim that the build made, where it made one. */
final class Shim {

    private Shim() {}

    /** Whether the build made a shim for this machine; a condition of tests. */
    static boolean present() {
        return resource() != null;
    }

    private static URL resource() {
        return Shim.class
                .getClassLoader()
                .getResource("META-INF/native/" + NativePlatform.name() + "/libtensorfabric_verbs-"
                        + NativeLibrary.version() + ".so");
    }

    /** Loads it; libibverbs or a device may still be missing. */
    static void load() {
        NativeLibrary.failure();
    }

    /** Its file below target. */
    static Path file() {
        try {
            return Path.of(resource().toURI());
        } catch (URISyntaxException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** The class path of this test run. */
    static String classPath() {
        return System.getProperty("java.class.path")
                + File.pathSeparator
                + System.getProperty("surefire.test.class.path", "");
    }
}

package io.tensorfabric.memory.cuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads JCuda's driver binding once. JCuda unpacks its native part to a file of fixed name in the temporary folder and
 * loads whatever lies there already, so it is shown a fresh folder that only this user can write to.
 */
final class JCudaLibrary {

    private static final Logger log = LoggerFactory.getLogger(JCudaLibrary.class);

    private static final String TEMPORARY_FOLDER = "java.io.tmpdir";

    private static final String DRIVER = "jcuda.driver.JCudaDriver";

    private static final @Nullable String FAILURE = load();

    private JCudaLibrary() {}

    /** Why JCuda cannot be used, a sentence without its full stop; {@code null} when it can. */
    static @Nullable String failure() {
        return FAILURE;
    }

    private static @Nullable String load() {
        try {
            initialize();
            return null;
        } catch (ClassNotFoundException e) {
            log.debug("JCuda is not on the class path", e);
            return "JCuda is not on the class path (add org.jcuda:jcuda and org.jcuda:jcuda-natives, or leave them out on"
                    + " purpose)";
        } catch (LinkageError e) {
            log.debug("JCuda's native part cannot be loaded", e);
            return cause(e);
        } catch (IOException e) {
            log.debug("JCuda's native part cannot be unpacked", e);
            return "JCuda's native part cannot be unpacked: " + e;
        }
    }

    private static void initialize() throws ClassNotFoundException, IOException {
        ClassLoader loader = JCudaLibrary.class.getClassLoader();
        Class.forName(DRIVER, false, loader);
        Path folder = Files.createTempDirectory("fabric-jcuda");
        String before = System.getProperty(TEMPORARY_FOLDER);
        System.setProperty(TEMPORARY_FOLDER, folder.toString());
        try {
            Class.forName(DRIVER, true, loader);
        } finally {
            System.setProperty(TEMPORARY_FOLDER, before);
            delete(folder);
        }
    }

    /** Loaded libraries stay mapped without their files. */
    private static void delete(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> all = files.toList();
            for (Path file : all) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            log.warn("The unpacked native part of JCuda cannot be deleted from {}", folder, e);
        }
    }

    private static String cause(LinkageError problem) {
        String message = String.valueOf(problem.getMessage());
        Throwable inner = problem.getCause();
        String all = message + (inner == null ? "" : " " + inner.getMessage());
        if (all.contains("libcuda.so.1")) {
            return "the CUDA driver library libcuda.so.1 cannot be loaded (no NVIDIA driver on this machine, or a container"
                    + " without the NVIDIA runtime)";
        }
        if (all.contains("No resource found")) {
            return "JCuda has no native part for " + System.getProperty("os.name") + " on "
                    + System.getProperty("os.arch") + " on the class path (org.jcuda:jcuda-natives)";
        }
        return "JCuda's native part cannot be loaded: " + firstLine(message);
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end).trim();
    }
}

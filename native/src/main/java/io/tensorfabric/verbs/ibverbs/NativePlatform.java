package io.tensorfabric.verbs.ibverbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Operating system, processor and C library that this process runs on. */
final class NativePlatform {

    private NativePlatform() {}

    /** Name of the folder with the library of this platform, such as {@code linux-x86_64}. */
    static String name() {
        return name(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    static String name(String osName, String osArch) {
        String system = osName.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "");
        return system + "-" + processor(osArch);
    }

    private static String processor(String osArch) {
        String arch = osArch.toLowerCase(Locale.ROOT);
        return switch (arch) {
            case "amd64", "x86_64", "x64" -> "x86_64";
            case "aarch64", "arm64" -> "aarch64";
            default -> arch;
        };
    }

    /** Whether the process uses the C library musl, for which there is no build of the shim. */
    static boolean isMusl() {
        return isMusl(read("/proc/self/maps"));
    }

    /** A platform with its C library, where that is known, for people. */
    static String describe(String platform) {
        return describe(platform, read("/proc/self/maps"));
    }

    static String describe(String platform, String maps) {
        if (isMusl(maps)) {
            return platform + " with musl";
        }
        return maps.contains("/ld-linux") ? platform + " with glibc" : platform;
    }

    static boolean isMusl(String maps) {
        return maps.contains("/ld-musl-");
    }

    /** Whether the mount that holds a folder forbids to execute from it; {@code mounts} as of {@code proc(5)}. */
    static boolean isNoExec(Path folder, String mounts) {
        String longest = "";
        boolean forbidden = false;
        for (String line : mounts.split("\n", -1)) {
            String[] fields = line.split(" ", -1);
            if (fields.length < 4) {
                continue;
            }
            String point = fields[1].replace("\\040", " ");
            if (folder.startsWith(point) && point.length() >= longest.length()) {
                longest = point;
                forbidden = ("," + fields[3] + ",").contains(",noexec,");
            }
        }
        return forbidden;
    }

    static boolean isNoExec(Path folder) {
        return isNoExec(folder.toAbsolutePath().normalize(), read("/proc/self/mounts"));
    }

    private static String read(String path) {
        try {
            return Files.readString(Path.of(path));
        } catch (IOException notLinux) {
            return "";
        }
    }
}

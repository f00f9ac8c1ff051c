package io.tensorfabric.verbs.ibverbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the kernel lets this process lock, the usual reason for a refused registration; see {@code proc(5)}. */
final class LockedMemory {

    /** Bit of {@code CAP_IPC_LOCK}, {@code capabilities(7)}. */
    private static final int CAP_IPC_LOCK = 14;

    private static final Pattern LIMIT = Pattern.compile("(?m)^Max locked memory\\s+(\\S+)\\s+(\\S+)");

    private static final Pattern CAPABILITIES = Pattern.compile("(?m)^CapEff:\\s*([0-9a-fA-F]+)");

    private LockedMemory() {}

    /** Limits and capability in a phrase. */
    static String describe() {
        return describe(read("/proc/self/limits"), read("/proc/self/status"));
    }

    static String describe(String limits, String status) {
        Matcher limit = LIMIT.matcher(limits);
        String memlock = limit.find()
                ? "RLIMIT_MEMLOCK is " + limit.group(1) + " bytes soft, " + limit.group(2) + " hard"
                : "RLIMIT_MEMLOCK is not known";
        Matcher capabilities = CAPABILITIES.matcher(status);
        if (!capabilities.find()) {
            return memlock;
        }
        boolean held = (Long.parseUnsignedLong(capabilities.group(1), 16) >> CAP_IPC_LOCK & 1) != 0;
        return memlock + (held ? ", CAP_IPC_LOCK is held" : ", CAP_IPC_LOCK is not held");
    }

    private static String read(String path) {
        try {
            return Files.readString(Path.of(path));
        } catch (IOException notLinux) {
            return "";
        }
    }
}

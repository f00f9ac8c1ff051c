package io.tensorfabric.diagnostics;

import io.tensorfabric.diagnostics.PreflightStep.Outcome;
import io.tensorfabric.topology.Sysfs;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the kernel lets this process have. */
final class HostLimits {

    /** Bits of capabilities, {@code capabilities(7)}. */
    private static final int IPC_LOCK = 14;

    private static final int SYS_ADMIN = 21;

    private static final int HEX = 16;

    private static final Pattern LIMIT = Pattern.compile("(?m)^Max locked memory\\s+(\\S+)");

    private static final String HUGE_PAGES = "kernel/mm/hugepages";

    private final Sysfs sysfs;

    private final Sysfs proc;

    HostLimits(Sysfs sysfs, Sysfs proc) {
        this.sysfs = sysfs;
        this.proc = proc;
    }

    /**
     * Whether memory can be locked.
     *
     * @param needed whether the device needs that
     * @param most bytes that the host pool may hold
     */
    PreflightStep lockedMemory(String name, boolean needed, long most) {
        String limits = proc.text("self/limits").orElse("");
        String status = proc.text("self/status").orElse("");
        Matcher limit = LIMIT.matcher(limits);
        if (!limit.find()) {
            return PreflightStep.of(name, Outcome.SKIP, "the kernel does not tell the limit");
        }
        boolean effective = capability(status, "CapEff", IPC_LOCK);
        String detail =
                "RLIMIT_MEMLOCK is " + limit.group(1) + ", CAP_IPC_LOCK is " + (effective ? "held" : "not held");
        if (!needed) {
            return PreflightStep.of(name, Outcome.OK, detail + "; this device locks none");
        }
        if (effective || !isLess(limit.group(1), most)) {
            return PreflightStep.of(name, Outcome.OK, detail);
        }
        // Container runtimes leave few capabilities: this one among them was added, and is of no use to another user
        // than root.
        boolean inert = capability(status, "CapBnd", IPC_LOCK) && !capability(status, "CapBnd", SYS_ADMIN);
        Symptom symptom = inert ? Symptom.CAPABILITY_INERT : Symptom.MEMLOCK_TOO_SMALL;
        return PreflightStep.of(
                name, Outcome.WARN, detail + ", and the host pool may hold " + most + " bytes", symptom);
    }

    private static boolean isLess(String limit, long bytes) {
        try {
            return Long.parseLong(limit) < bytes;
        } catch (NumberFormatException unlimited) {
            return false;
        }
    }

    private static boolean capability(String status, String set, int bit) {
        Matcher matcher =
                Pattern.compile("(?m)^" + set + ":\\s*([0-9a-fA-F]{1,16})$").matcher(status);
        return matcher.find() && (Long.parseUnsignedLong(matcher.group(1), HEX) >>> bit & 1) != 0;
    }

    PreflightStep hugePages(String name) {
        List<String> sizes = new ArrayList<>();
        for (String folder : sysfs.names(HUGE_PAGES)) {
            long all = sysfs.number(HUGE_PAGES + "/" + folder + "/nr_hugepages").orElse(0);
            long free =
                    sysfs.number(HUGE_PAGES + "/" + folder + "/free_hugepages").orElse(0);
            if (all > 0) {
                sizes.add(folder.replace("hugepages-", "") + ": " + free + " of " + all + " free");
            }
        }
        String transparent = sysfs.text("kernel/mm/transparent_hugepage/enabled")
                .map(text -> "transparent ones: " + text.toLowerCase(Locale.ROOT))
                .orElse("transparent ones are not known");
        return PreflightStep.of(
                name, Outcome.OK, (sizes.isEmpty() ? "none set aside" : String.join(", ", sizes)) + "; " + transparent);
    }
}

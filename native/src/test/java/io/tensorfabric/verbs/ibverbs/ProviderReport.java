package io.tensorfabric.verbs.ibverbs;

import java.time.Duration;

/** A program for a process of its own: tries the provider and all native methods that need no device. */
public final class ProviderReport {

    private ProviderReport() {}

    /**
     * Prints whether the provider is available, and why not.
     *
     * @param args {@code natives} to call native methods too
     */
    public static void main(String[] args) {
        IbverbsProvider provider = new IbverbsProvider();
        Throwable cause = provider.unavailabilityCause();
        System.out.println("available: " + provider.isAvailable());
        System.out.println("cause: " + (cause == null ? "none" : cause.getMessage()));
        if (args.length > 0) {
            callNatives();
            System.out.println("natives called");
        }
    }

    private static void callNatives() {
        for (int i = 0; i < 1000; i++) {
            int wake = NativeVerbs.createWake();
            check(wake >= 0, "createWake");
            check(NativeVerbs.signalWake(wake) == 0, "signalWake");
            check(NativeVerbs.closeWake(wake) == 0, "closeWake");
        }
        check(NativeVerbs.closeWake(-1) < 0, "closeWake of nothing");
        try (Scratch scratch = new Scratch(64)) {
            check(NativeVerbs.version(scratch.address(), 3) > 3, "version");
            check(NativeVerbs.layout(scratch.address(), 2) > 2, "layout");
        }
        check(Deadline.after(Duration.ofSeconds(Long.MAX_VALUE)).restNanos() > 0, "Deadline");
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}

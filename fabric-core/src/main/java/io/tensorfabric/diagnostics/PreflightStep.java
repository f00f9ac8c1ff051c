package io.tensorfabric.diagnostics;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a preflight looked at.
 *
 * @param name what it looked at
 * @param outcome how it ended
 * @param detail why, in words and figures
 * @param remedy what to do, {@code null} if nothing
 * @param millis time that it took
 */
public record PreflightStep(
        String name,
        Outcome outcome,
        String detail,
        @Nullable String remedy,
        double millis) {

    /** How a step ended, the better before the worse. */
    public enum Outcome {
        /** As it should be. */
        OK,
        /** Not looked at, since it does not apply or something before failed. */
        SKIP,
        /** Works, but not as well as it could. */
        WARN,
        /** Does not work. */
        FAIL
    }

    static PreflightStep of(String name, Outcome outcome, String detail) {
        return new PreflightStep(name, outcome, detail, null, 0);
    }

    static PreflightStep of(String name, Outcome outcome, String detail, Symptom symptom) {
        return new PreflightStep(name, outcome, detail, symptom.remedy(), 0);
    }

    PreflightStep took(long nanos) {
        return new PreflightStep(name, outcome, detail, remedy, TimeUnit.NANOSECONDS.toMicros(nanos) / 1_000.0);
    }
}

package io.tensorfabric.autoconfigure.actuate;

import io.tensorfabric.diagnostics.PreflightReport;
import io.tensorfabric.diagnostics.PreflightStep;
import java.time.Instant;
import java.util.List;

/**
 * What a preflight found; times in milliseconds.
 *
 * @param outcome the worst outcome of all steps, where a skipped step counts as good
 * @param text the same for people, line by line
 */
record PreflightView(
        PreflightStep.Outcome outcome,
        String peer,
        String node,
        String device,
        Instant started,
        double millis,
        List<PreflightStep> environment,
        List<PreflightStep> ladder,
        List<String> text) {

    static PreflightView of(PreflightReport report) {
        return new PreflightView(
                report.outcome(),
                report.peer(),
                report.node(),
                report.device(),
                report.started(),
                report.millis(),
                report.environment(),
                report.ladder(),
                report.text());
    }
}

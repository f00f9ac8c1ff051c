package io.tensorfabric.diagnostics;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What a preflight found.
 *
 * @param peer the peer
 * @param node id of this node
 * @param device device of this node
 * @param started when it began
 * @param millis how long it took
 * @param environment what this node and its host look like
 * @param ladder transfers to the peer, each asking for more than the one before
 */
public record PreflightReport(
        String peer,
        String node,
        String device,
        Instant started,
        double millis,
        List<PreflightStep> environment,
        List<PreflightStep> ladder) {

    /** Copies the lists. */
    public PreflightReport {
        environment = List.copyOf(environment);
        ladder = List.copyOf(ladder);
    }

    /** The worst outcome; a skipped step counts as good. */
    public PreflightStep.Outcome outcome() {
        return Stream.concat(environment.stream(), ladder.stream())
                .map(PreflightStep::outcome)
                .filter(outcome -> outcome != PreflightStep.Outcome.SKIP)
                .max(Enum::compareTo)
                .orElse(PreflightStep.Outcome.OK);
    }

    /** The report for people, line by line. */
    public List<String> text() {
        List<String> lines = new ArrayList<>();
        lines.add("preflight from " + node + " (" + device + ") to " + peer);
        lines.add("environment");
        environment.forEach(step -> add(step, lines));
        lines.add("ladder");
        ladder.forEach(step -> add(step, lines));
        lines.add(String.format(
                Locale.ROOT, "preflight %s in %.0f ms", outcome().name().toLowerCase(Locale.ROOT), millis));
        return lines;
    }

    private static void add(PreflightStep step, List<String> lines) {
        String outcome = step.outcome().name().toLowerCase(Locale.ROOT);
        lines.add(String.format(
                Locale.ROOT, "  %-4s  %-16s %8.1f ms  %s", outcome, step.name(), step.millis(), step.detail()));
        if (step.remedy() != null) {
            lines.add("        -> " + step.remedy());
        }
    }
}

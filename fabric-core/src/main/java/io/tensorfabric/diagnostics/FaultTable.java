package io.tensorfabric.diagnostics;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Every failure that a device reports and every symptom that people see, with cause, check and remedy: the one source for
 * documents and reports.
 */
public final class FaultTable {

    private FaultTable() {}

    /** The failures of work completions, in the order of their numbers; success is none. */
    public static List<Fault> workCompletions() {
        return Arrays.stream(WorkCompletionStatus.values())
                .filter(status -> status != WorkCompletionStatus.SUCCESS)
                .map(status ->
                        new Fault(status.name(), status.code(), status.cause(), Checks.of(status), status.remedy()))
                .toList();
    }

    /** The errors of calls, in the order of their numbers, the unknown one last. */
    public static List<Fault> errnos() {
        return Arrays.stream(Errno.values())
                .map(errno -> new Fault(
                        errno.name(), errno.number(), sentence(errno.meaning()), Checks.of(errno), errno.remedy()))
                .toList();
    }

    /** Faults as a Markdown table with a header row; ends in a line break. */
    public static String toMarkdown(List<Fault> faults) {
        String rows = faults.stream().map(FaultTable::row).collect(Collectors.joining());
        return "| name | number | cause | check | remedy |\n| --- | --- | --- | --- | --- |\n" + rows;
    }

    private static String row(Fault fault) {
        String number = fault.number() < 0 ? "other" : Integer.toString(fault.number());
        return "| `" + fault.name() + "` | " + number + " | " + escape(fault.cause()) + " | " + code(fault.check())
                + " | " + escape(fault.remedy()) + " |\n";
    }

    /** The symptoms as a Markdown table with a header row; ends in a line break. */
    public static String symptomsToMarkdown() {
        String rows = Arrays.stream(Symptom.values())
                .map(symptom -> "| " + escape(symptom.seen()) + " | " + escape(symptom.cause()) + " | "
                        + code(symptom.check()) + " | " + code(symptom.remedy()) + " |\n")
                .collect(Collectors.joining());
        return "| what you see | cause | check | remedy |\n| --- | --- | --- | --- |\n" + rows;
    }

    /** Text with code in back quotes, in which nothing is escaped but what would end the cell. */
    static String code(String text) {
        StringBuilder result = new StringBuilder();
        String[] parts = text.split("`", -1);
        for (int i = 0; i < parts.length; i++) {
            result.append(i == 0 ? "" : "`").append(i % 2 == 0 ? escape(parts[i]) : parts[i].replace("|", "\\|"));
        }
        return result.toString();
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\")
                .replace("|", "\\|")
                .replace("*", "\\*")
                .replace("_", "\\_")
                .replace("<", "&lt;");
    }

    private static String sentence(String meaning) {
        return Character.toUpperCase(meaning.charAt(0)) + meaning.substring(1) + ".";
    }
}

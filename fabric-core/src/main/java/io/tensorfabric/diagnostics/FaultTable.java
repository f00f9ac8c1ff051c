package io.tensorfabric.diagnostics;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Every failure that a device reports, with cause and remedy: the one source for documents and reports. */
public final class FaultTable {

    private FaultTable() {}

    /** The failures of work completions, in the order of their numbers; success is none. */
    public static List<Fault> workCompletions() {
        return Arrays.stream(WorkCompletionStatus.values())
                .filter(status -> status != WorkCompletionStatus.SUCCESS)
                .map(status -> new Fault(status.name(), status.code(), status.cause(), status.remedy()))
                .toList();
    }

    /** The errors of calls, in the order of their numbers, the unknown one last. */
    public static List<Fault> errnos() {
        return Arrays.stream(Errno.values())
                .map(errno -> new Fault(errno.name(), errno.number(), sentence(errno.meaning()), errno.remedy()))
                .toList();
    }

    /** Faults as a Markdown table with a header row; ends in a line break. */
    public static String toMarkdown(List<Fault> faults) {
        String rows = faults.stream().map(FaultTable::row).collect(Collectors.joining());
        return "| name | number | cause | remedy |\n| --- | --- | --- | --- |\n" + rows;
    }

    private static String row(Fault fault) {
        String number = fault.number() < 0 ? "other" : Integer.toString(fault.number());
        return "| `" + fault.name() + "` | " + number + " | " + escape(fault.cause()) + " | " + escape(fault.remedy())
                + " |\n";
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

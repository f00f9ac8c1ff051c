package io.tensorfabric.diagnostics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes {@code docs/troubleshooting.md} from the fault table. */
final class TroubleshootingPage {

    private static final String HEAD = """
            # Troubleshooting

            <!-- Written by TroubleshootingPage from the fault table. Change that and run
                 mvn -pl fabric-core test -Dtest=TroubleshootingPageTest -Dfabric.docs.write=true -->

            A fault of the device shows in one of two ways. A **work completion** with a bad status tells of a transfer that
            was posted and failed: it names the queue pair, the peer and one of the statuses below. A **`VerbsException`**
            tells of a call that failed: it names the call and one of the error numbers below.

            ## Where to look first

            1. The first failure of a queue pair is the cause. Everything after it on the same queue pair is flushed with
               `WR_FLUSH_ERR`, which says nothing by itself.
            2. `/actuator/fabric/queue-pairs` on **both** ends: a healthy pair is `RTS` on both. One end in `INIT` or `RTR`
               means that the negotiation stopped half-way; one end in `ERR` means that its log has the cause.
            3. `/actuator/fabric` for the port and the GID that were chosen and why, and for warnings;
               `/actuator/fabric/peers` for the last failure of each peer.
            4. `/actuator/fabric/pools` when transfers are refused before they start: see [memory](memory.md).
            5. `/actuator/fabric/topology` and the counters of the port when transfers are slow: see
               [topology](topology.md) and [actuator](actuator.md).

            ## What people see

            """;

    private static final String COMPLETIONS = """

            ## Work completions

            """;

    private static final String BETWEEN = """

            ## Error numbers of calls

            """;

    private TroubleshootingPage() {}

    static String render() {
        return HEAD
                + FaultTable.symptomsToMarkdown()
                + COMPLETIONS
                + FaultTable.toMarkdown(FaultTable.workCompletions())
                + BETWEEN
                + FaultTable.toMarkdown(FaultTable.errnos());
    }

    /** Where the page lies, seen from the folder of this module or of the project. */
    static Path path() {
        Path module = Path.of("docs");
        return (Files.isDirectory(module) ? module : Path.of("..", "docs")).resolve("troubleshooting.md");
    }

    static void write() throws IOException {
        Files.writeString(path(), render());
    }
}

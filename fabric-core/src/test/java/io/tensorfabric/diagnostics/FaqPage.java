package io.tensorfabric.diagnostics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The part of {@code docs/faq.md} that is about failures: a question for each symptom, in the words of who has it, and the
 * answer of the fault table. What stands before it is written by hand.
 */
final class FaqPage {

    private static final String BEGIN = """
            <!-- From here on written by FaqPage from the fault table. Change that and run
                 mvn -pl fabric-core test -Dtest=FaqPageTest -Dfabric.docs.write=true -->
            """;

    private FaqPage() {}

    /** The page with the part about failures as it should be. */
    static String render() throws IOException {
        String page = Files.readString(path());
        int begin = page.indexOf(BEGIN);
        StringBuilder text = new StringBuilder(begin < 0 ? page + "\n" : page.substring(0, begin));
        text.append(BEGIN);
        for (Symptom symptom : Symptom.values()) {
            String heading = heading(symptom);
            if (!heading.isEmpty()) {
                text.append("\n## ").append(heading).append('\n');
            }
            text.append("\n**")
                    .append(question(symptom))
                    .append("** ")
                    .append(answer(symptom))
                    .append('\n');
        }
        return text.toString();
    }

    /** What the fault table says, with where to look first. */
    private static String answer(Symptom symptom) {
        return text(symptom.cause()) + " " + text(symptom.remedy()) + " *Check:* " + text(symptom.check());
    }

    /** As in a cell of the table, but for what would end that. */
    static String text(String text) {
        return FaultTable.code(text).replace("\\|", "|");
    }

    static Path path() {
        return TroubleshootingPage.path().resolveSibling("faq.md");
    }

    static void write() throws IOException {
        Files.writeString(path(), render());
    }

    /** What comes before the first symptom of each kind, in the order of the table. */
    private static String heading(Symptom symptom) {
        return switch (symptom) {
            case NO_DEVICE -> "It does not start, or not as I want";
            case PORT_DOWN -> "Ports and addresses";
            case PEER_UNREACHABLE -> "Peers do not connect";
            case QUEUE_PAIR_STUCK -> "Queue pairs fail";
            case POOL_EXHAUSTED -> "Memory and listeners";
            case GPU_INVISIBLE -> "GPUs";
            case LINK_NOISY -> "The network";
            default -> "";
        };
    }

    /** How somebody would ask. A new symptom does not compile without a question. */
    private static String question(Symptom symptom) {
        return switch (symptom) {
            case NO_DEVICE -> "Why does it not find my card?";
            case LIBRARY_MISSING -> "It names libibverbs or a native library. What is missing?";
            case DEVICE_PERMISSION -> "The card is there, and it may not be opened?";
            case MEMLOCK_TOO_SMALL -> "\"Cannot allocate memory\", and the machine has plenty?";
            case CAPABILITY_INERT -> "I gave the container IPC\\_LOCK. Why does that not help?";
            case DEVICE_FAILED -> "The health says that the device failed. And now?";
            case SOFTWARE_DEVICE -> "It works, but not faster than a socket. Is my card in use at all?";
            case PORT_DOWN -> "The port is not ACTIVE. Why?";
            case GID_TABLE_EMPTY -> "What does an empty GID table mean?";
            case GID_LINK_LOCAL -> "Why are some peers reached and others not?";
            case ROCE_V1 -> "Why does nothing get across a router?";
            case GID_CHANGED -> "An address changed, and connections fail?";
            case MTU_MISMATCH -> "Why is the MTU smaller than the one I set?";
            case MTU_SMALL -> "I get a warning about the port's MTU. What should it be?";
            case PEER_UNREACHABLE -> "The peer cannot be reached. What do I check?";
            case CALL_REFUSED -> "The peer answers 401 or 403. Why does it refuse me?";
            case CLOCK_SKEW -> "The secrets are the same, and calls are refused?";
            case PLAINTEXT_REFUSED -> "It works on this machine, and not between two?";
            case NO_RIGHT -> "We are connected. Why may I not push?";
            case BREAKER_OPEN -> "Why do pushes fail at once, without an attempt?";
            case QUEUE_PAIR_STUCK -> "What does a queue pair in INIT or RTR mean?";
            case PATH_BROKEN -> "Peers connect, and then nothing arrives?";
            case LOSS_UNDER_LOAD -> "Small tensors arrive, large ones fail. Why?";
            case RECEIVER_NOT_READY -> "What is \"receiver not ready\"?";
            case ACCESS_REFUSED -> "What does REM\\_ACCESS\\_ERR mean?";
            case ONLY_FLUSHED -> "The log is full of WR\\_FLUSH\\_ERR. What is that?";
            case QUEUE_PAIR_LIMIT -> "How many peers can I have?";
            case POOL_EXHAUSTED -> "Why is the pool exhausted?";
            case LISTENER_HOLDS -> "Why does one peer take so long, and others do not?";
            case NO_LISTENER -> "Why is my listener not called?";
            case CHECKSUM -> "The checksum does not match. Who changed the bytes?";
            case GPU_INVISIBLE -> "Why is my GPU not used?";
            case GPU_STAGED -> "Why does GPU memory go through host memory?";
            case GPU_FAR -> "Why is GPU memory slower than host memory?";
            case ACS_REDIRECTS -> "GPU and card share a switch. Why is it slow all the same?";
            case IOMMU_TRANSLATES -> "What has the IOMMU to do with it?";
            case PCIE_DEGRADED -> "Why do I get half of what the card can do, or a quarter?";
            case BAR1_SMALL -> "The GPU has memory left, and none can be registered?";
            case LINK_NOISY -> "Errors of the link grow. What is broken?";
            case CONGESTION -> "Why does it get slower when several push to one?";
            case PREFLIGHT_UNKNOWN -> "Why does the peer refuse the preflight?";
        };
    }
}

package io.tensorfabric.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * This process as other processes of its host know it. Processes of another namespace of processes count as those of another
 * host: one could not see when the other ends.
 *
 * @param host stands for the host's present run and the namespace
 * @param id process id
 * @param started clock ticks from the start of the host to that of the process
 */
record ThisProcess(String host, long id, long started) {

    private static final Path PROCESSES = Path.of("/proc");

    private static final int DIGITS = 32;

    /** Of the line in {@code stat}, counted from what follows the name in parentheses. */
    private static final int STARTED_FIELD = 19;

    private static final @Nullable ThisProcess CURRENT = find();

    /** This process, {@code null} where the system does not tell. */
    static @Nullable ThisProcess current() {
        return CURRENT;
    }

    private static @Nullable ThisProcess find() {
        try {
            String run = Files.readString(PROCESSES.resolve("sys/kernel/random/boot_id"));
            Path namespace = Files.readSymbolicLink(PROCESSES.resolve("self/ns/pid"));
            long id = ProcessHandle.current().pid();
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest((run.strip() + " " + namespace).getBytes(StandardCharsets.UTF_8));
            return new ThisProcess(HexFormat.of().formatHex(digest).substring(0, DIGITS), id, started(id));
        } catch (IOException | UnsupportedOperationException | NoSuchAlgorithmException e) {
            return null;
        }
    }

    private static long started(long id) throws IOException {
        String line = Files.readString(PROCESSES.resolve(id + "/stat"), StandardCharsets.ISO_8859_1);
        return Long.parseLong(line.substring(line.lastIndexOf(')') + 2).split(" ", -1)[STARTED_FIELD]);
    }

    /** Whether a process of this host and namespace has ended, so that the driver has closed what it had open. */
    static boolean hasEnded(long id, long started) {
        try {
            return started(id) != started;
        } catch (IOException e) {
            return !Files.exists(PROCESSES.resolve(Long.toString(id)));
        }
    }
}

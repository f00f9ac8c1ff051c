package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The script {@code scripts/roce/cable} of the guest. */
final class CableTool implements CableEnd.Tool {

    @Override
    public void run(String action, String end, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("scripts/roce/cable", action, end));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed: " + output.strip());
        }
    }
}

package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The cable between the two devices of the Soft-RoCE guest. */
final class Cable {

    private Cable() {}

    /** Runs {@code scripts/roce/cable}. */
    static void set(String words) throws IOException, InterruptedException {
        run("../scripts/roce/cable", words);
    }

    static void ip(String words) throws IOException, InterruptedException {
        run("ip", words);
    }

    private static void run(String program, String words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(words.split(" ")));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s %s: %s", program, words, said).isZero();
    }
}

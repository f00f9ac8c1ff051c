package io.tensorfabric.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs commands of a page as a reader would, in a shell. {@code kubectl} is a stand-in: it shows the chart's own secret, and
 * forwards nothing, since the pods listen on this machine; their ports take the place of those that the page names.
 */
final class PageCommands {

    static final String TENSOR = "page-tensor";

    private final Path folder;

    private final int management;

    private final int rest;

    PageCommands(Path folder, List<Manifest> rendered, int management, int rest) throws IOException {
        for (String tool : List.of("bash", "curl", "jq", "base64")) {
            assumeTrue(isInstalled(tool), "no " + tool + " to run the commands of the page with");
        }
        this.folder = Files.createDirectories(folder.resolve("reader"));
        this.management = management;
        this.rest = rest;
        Path kubectl = Files.writeString(
                this.folder.resolve("kubectl"), """
                #!/bin/sh
                case "$*" in
                  "-n fabric get secret demo-tensor-service-tls -o jsonpath={.data.ca\\.crt}") printf %%s '%s' ;;
                  "-n fabric port-forward demo-tensor-service-0 "*) ;;
                  *) echo "unexpected: kubectl $*" >&2; exit 64 ;;
                esac
                """.formatted(Chart.named(rendered, "Secret", Chart.FULL_NAME + "-tls")
                        .object()
                        .path("data")
                        .path("ca.crt")
                        .asText()));
        assertThat(kubectl.toFile().setExecutable(true)).isTrue();
        Files.write(this.folder.resolve("model.safetensors"), model());
    }

    private static boolean isInstalled(String tool) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(entry -> Files.isExecutable(Path.of(entry, tool)));
    }

    private static byte[] model() throws IOException {
        byte[] header = ("{\"" + TENSOR + "\":{\"dtype\":\"U8\",\"shape\":[4096],\"data_offsets\":[0,4096]}}")
                .getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.write(ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length)
                .array());
        file.write(header);
        file.write(new byte[4096]);
        return file.toByteArray();
    }

    /** Runs blocks of commands one after the other, and answers what they printed. */
    String run(String... blocks) throws IOException, InterruptedException {
        String commands = String.join("\n", blocks)
                .replace("8443", Integer.toString(rest))
                .replace("8081", Integer.toString(management));
        ProcessBuilder builder = new ProcessBuilder("bash", "-euo", "pipefail", "-c", commands)
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().merge("PATH", "", (path, none) -> folder.toAbsolutePath() + File.pathSeparator + path);
        builder.environment().put("no_proxy", "localhost,127.0.0.1");
        Process shell = builder.start();
        shell.getOutputStream().close();
        String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor(90, TimeUnit.SECONDS)).isTrue();
        assertThat(shell.exitValue()).as(commands + "\n" + output).isZero();
        return output;
    }
}

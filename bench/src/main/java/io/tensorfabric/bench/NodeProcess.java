package io.tensorfabric.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Another process of a benchmark, with the options of this JVM. It ends when this process does. */
final class NodeProcess implements AutoCloseable {

    private static final long START_SECONDS = 300;

    private static final long STOP_SECONDS = 20;

    private final Process process;

    private final Map<String, Integer> ports;

    private final BlockingQueue<String> answers;

    private NodeProcess(Process process, Map<String, Integer> ports, BlockingQueue<String> answers) {
        this.process = process;
        this.ports = ports;
        this.answers = answers;
    }

    /** Starts one that receives. */
    static NodeProcess start(List<String> options) throws IOException, InterruptedException {
        return start("node", options);
    }

    /** Starts one that runs this command, which says when it is ready. */
    static NodeProcess start(String name, List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), BenchApplication.class.getName(), name));
        command.addAll(options);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        try {
            return new NodeProcess(process, awaitPorts(process, answers), answers);
        } catch (IOException | InterruptedException | RuntimeException ex) {
            process.destroyForcibly();
            throw ex;
        }
    }

    private static Map<String, Integer> awaitPorts(Process process, BlockingQueue<String> answers)
            throws IOException, InterruptedException {
        CompletableFuture<Map<String, Integer>> ports = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(process, ports, answers), "bench-node-output");
        reader.setDaemon(true);
        reader.start();
        try {
            return ports.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException ex) {
            throw new IOException("The other process did not start, see its output above", ex);
        }
    }

    /** Passes the output on to the standard error and picks the ports and answers out of it. */
    private static void read(
            Process process, CompletableFuture<Map<String, Integer>> ports, BlockingQueue<String> answers) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(NodeCommand.READY)) {
                    ports.complete(parse(line.substring(NodeCommand.READY.length())));
                } else if (line.startsWith(NodeCommand.DONE)) {
                    answers.add(line.substring(NodeCommand.DONE.length()));
                } else {
                    System.err.println(line);
                }
            }
            ports.completeExceptionally(new IOException("The other process has ended"));
        } catch (IOException | RuntimeException ex) {
            ports.completeExceptionally(ex);
        }
    }

    private static Map<String, Integer> parse(String text) {
        Map<String, Integer> ports = new HashMap<>();
        for (String pair : text.split(" ", -1)) {
            int equals = pair.indexOf('=');
            ports.put(pair.substring(0, equals), Integer.valueOf(pair.substring(equals + 1)));
        }
        return Map.copyOf(ports);
    }

    /** The process. */
    ProcessHandle handle() {
        return process.toHandle();
    }

    /** Port of its web server. */
    int port() {
        return port("http");
    }

    /** Port of one of its other servers. */
    int port(String name) {
        Integer port = ports.get(name);
        if (port == null) {
            throw new IllegalArgumentException("The other process has no port for " + name);
        }
        return port;
    }

    /**
     * Gives it a line to act upon, and waits until it has.
     *
     * @throws IOException if it has ended, or does not answer in time
     */
    void tell(String line) throws IOException, InterruptedException {
        OutputStream input = process.getOutputStream();
        input.write((line + System.lineSeparator()).getBytes(StandardCharsets.UTF_8));
        input.flush();
        String answer = nextAnswer();
        if (!line.equals(answer)) {
            throw new IOException(
                    "The other process was told to " + line + " and answered " + answer + ", see its output above");
        }
    }

    /** What it answers next; null if it ends without, or does not in time. */
    private @Nullable String nextAnswer() throws InterruptedException {
        for (int second = 0; second < START_SECONDS; second++) {
            boolean ended = !process.isAlive();
            String answer = answers.poll(1, TimeUnit.SECONDS);
            if (answer != null || ended) {
                return answer;
            }
        }
        return null;
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (IOException ex) {
            // It is gone already.
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}

package io.tensorfabric.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A process that receives, with the options of this JVM. It ends when this process does. */
final class NodeProcess implements AutoCloseable {

    private static final long START_SECONDS = 300;

    private static final long STOP_SECONDS = 20;

    private final Process process;

    private final int port;

    private NodeProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static NodeProcess start(List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), BenchApplication.class.getName(), "node"));
        command.addAll(options);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            return new NodeProcess(process, awaitPort(process));
        } catch (IOException | InterruptedException | RuntimeException ex) {
            process.destroyForcibly();
            throw ex;
        }
    }

    private static int awaitPort(Process process) throws IOException, InterruptedException {
        CompletableFuture<Integer> port = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(process, port), "bench-node-output");
        reader.setDaemon(true);
        reader.start();
        try {
            return port.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException ex) {
            throw new IOException("The receiving process did not start, see its output above", ex);
        }
    }

    /** Passes the output on to the standard error and picks the port out of it. */
    private static void read(Process process, CompletableFuture<Integer> port) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(NodeCommand.READY)) {
                    port.complete(Integer.valueOf(line.substring(NodeCommand.READY.length())));
                } else {
                    System.err.println(line);
                }
            }
            port.completeExceptionally(new IOException("The receiving process has ended"));
        } catch (IOException | NumberFormatException ex) {
            port.completeExceptionally(ex);
        }
    }

    int port() {
        return port;
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

package io.tensorfabric.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A process that receives, with the options of this JVM. It ends when this process does. */
final class NodeProcess implements AutoCloseable {

    private static final long START_SECONDS = 300;

    private static final long STOP_SECONDS = 20;

    private final Process process;

    private final Map<String, Integer> ports;

    private NodeProcess(Process process, Map<String, Integer> ports) {
        this.process = process;
        this.ports = ports;
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
            return new NodeProcess(process, awaitPorts(process));
        } catch (IOException | InterruptedException | RuntimeException ex) {
            process.destroyForcibly();
            throw ex;
        }
    }

    private static Map<String, Integer> awaitPorts(Process process) throws IOException, InterruptedException {
        CompletableFuture<Map<String, Integer>> ports = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(process, ports), "bench-node-output");
        reader.setDaemon(true);
        reader.start();
        try {
            return ports.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException ex) {
            throw new IOException("The receiving process did not start, see its output above", ex);
        }
    }

    /** Passes the output on to the standard error and picks the ports out of it. */
    private static void read(Process process, CompletableFuture<Map<String, Integer>> ports) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(NodeCommand.READY)) {
                    ports.complete(parse(line.substring(NodeCommand.READY.length())));
                } else {
                    System.err.println(line);
                }
            }
            ports.completeExceptionally(new IOException("The receiving process has ended"));
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
            throw new IllegalArgumentException("The receiving process has no port for " + name);
        }
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

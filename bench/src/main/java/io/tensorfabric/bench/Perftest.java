package io.tensorfabric.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The programs of the package perftest, run as a server and a client between two devices of this machine. */
final class Perftest {

    /** perftest writes MB/sec and means 2^20 bytes. */
    private static final double MIB = 1 << 20;

    /** The result's line has the size, the iterations, then peak and average (ib_write_bw 23.10). */
    private static final int AVERAGE_BANDWIDTH = 3;

    /** The size, the iterations, then minimum, maximum, typical (ib_write_lat 23.10). */
    private static final int TYPICAL_LATENCY = 4;

    private static final long CONNECT_MILLIS = 10_000;

    private final String serverDevice;

    private final String clientDevice;

    Perftest(String serverDevice, String clientDevice) {
        this.serverDevice = serverDevice;
        this.clientDevice = clientDevice;
    }

    /** Bytes a second that {@code ib_write_bw} reaches with messages of a size. */
    double bandwidth(long size, double seconds) throws IOException, InterruptedException {
        List<String> options = List.of("-D", String.valueOf(Math.max(2, Math.round(seconds))));
        return column(run("ib_write_bw", size, options, seconds), size, AVERAGE_BANDWIDTH) * MIB;
    }

    /** Microseconds that {@code ib_write_lat} calls typical for messages of a size, one way. */
    double latency(long size, int iterations) throws IOException, InterruptedException {
        List<String> options = List.of("-n", String.valueOf(iterations));
        return column(run("ib_write_lat", size, options, iterations / 50.0), size, TYPICAL_LATENCY);
    }

    private String run(String program, long size, List<String> options, double seconds)
            throws IOException, InterruptedException {
        List<String> common = Stream.concat(Stream.of("-F", "-x", "1", "-s", String.valueOf(size)), options.stream())
                .toList();
        Process server = start(program, serverDevice, common, List.of());
        try {
            CompletableFuture<String> unread = output(server);
            long patience = (long) (60 + 10 * seconds);
            long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CONNECT_MILLIS);
            while (true) {
                Process client = start(program, clientDevice, common, List.of("127.0.0.1"));
                CompletableFuture<String> text = output(client);
                if (!client.waitFor(patience, TimeUnit.SECONDS)) {
                    client.destroyForcibly();
                    throw new IOException(program + " did not end within " + patience + " s: " + text.join());
                }
                if (client.exitValue() == 0) {
                    return text.join();
                }
                // The server may not listen yet.
                if (!server.isAlive() || System.nanoTime() > giveUp) {
                    server.destroyForcibly();
                    throw new IOException(program + " failed: " + text.join() + unread.join());
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        } finally {
            server.destroyForcibly();
        }
    }

    private static Process start(String program, String device, List<String> options, List<String> host)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(program, "-d", device));
        command.addAll(options);
        command.addAll(host);
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static CompletableFuture<String> output(Process process) {
        return CompletableFuture.supplyAsync(() -> {
            try (InputStream stream = process.getInputStream()) {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException ex) {
                return "no output: " + ex.getMessage();
            }
        });
    }

    /** A column of the line that begins with a size. */
    static double column(String output, long size, int column) throws IOException {
        for (String line : output.split("\n")) {
            String[] words = line.trim().split("\\s+");
            if (words.length > column && words[0].equals(String.valueOf(size))) {
                return Double.parseDouble(words[column]);
            }
        }
        throw new IOException("perftest printed no result for " + size + " bytes:\n" + output);
    }
}

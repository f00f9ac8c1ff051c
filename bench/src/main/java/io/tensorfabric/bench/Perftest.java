package io.tensorfabric.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The programs of the package perftest, run as a server and a client between two devices of this machine. */
final class Perftest {

    /** Both print the size, the iterations, and for ib_write_lat the average (23.10, with -D). */
    private static final int ITERATIONS = 1;

    private static final int AVERAGE_LATENCY = 2;

    private static final long CONNECT_MILLIS = 10_000;

    private final String serverDevice;

    private final String clientDevice;

    Perftest(String serverDevice, String clientDevice) {
        this.serverDevice = serverDevice;
        this.clientDevice = clientDevice;
    }

    /**
     * Bytes a second that {@code ib_write_bw} reaches with messages of a size. Made from its count of iterations: its own
     * figure comes of a calibrated time stamp counter, which it cannot calibrate in every guest.
     */
    double bandwidth(long size, int seconds) throws IOException, InterruptedException {
        double iterations = column(run("ib_write_bw", size, seconds), size, ITERATIONS);
        return iterations * size / countedSeconds(seconds);
    }

    /** What it counts of its run: not the first and the last quarter, in whole seconds. */
    static int countedSeconds(int seconds) {
        return seconds - 2 * (seconds / 4);
    }

    /** Microseconds of the average message of a size in {@code ib_write_lat}, one way. */
    double latency(long size, int seconds) throws IOException, InterruptedException {
        String output = run("ib_write_lat", size, seconds);
        double own = column(output, size, AVERAGE_LATENCY);
        if (own > 0 && Double.isFinite(own)) {
            return own;
        }
        // There and back is one iteration.
        return countedSeconds(seconds) * 1e6 / column(output, size, ITERATIONS) / 2;
    }

    private String run(String program, long size, int seconds) throws IOException, InterruptedException {
        List<String> common = List.of("-F", "-x", "1", "-s", String.valueOf(size), "-D", String.valueOf(seconds));
        Process server = start(program, serverDevice, common, List.of());
        try {
            CompletableFuture<String> unread = output(server);
            long patience = 60 + 10L * seconds;
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
        for (String line : output.lines().toList()) {
            String[] words = line.trim().split("\\s+", -1);
            if (words.length > column && words[0].equals(String.valueOf(size))) {
                return number(words[column]);
            }
        }
        throw new IOException("perftest printed no result for " + size + " bytes:\n" + output);
    }

    /** perftest prints what C does: inf and nan as well. */
    private static double number(String word) {
        return switch (word) {
            case "inf" -> Double.POSITIVE_INFINITY;
            case "nan", "-nan" -> Double.NaN;
            default -> Double.parseDouble(word);
        };
    }
}

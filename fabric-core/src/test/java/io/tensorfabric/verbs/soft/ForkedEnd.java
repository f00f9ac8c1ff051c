package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.PathAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An {@link End} in a process of its own, which ends with its standard input. */
final class ForkedEnd implements AutoCloseable {

    private final Process process;
    private final BufferedReader answers;
    private final PrintStream commands;
    private Description description;

    /** What one process tells the other, a negotiation in short. */
    record Description(int number, String address, long memory, int rkey) {

        static Description of(End end) {
            return new Description(end.pair.number(), end.pair.providerAddress(), end.memory, end.region.rkey());
        }

        static Description parse(String line) {
            String[] parts = line.split(" ");
            return new Description(
                    Integer.parseInt(parts[0]), parts[1], Long.parseLong(parts[2]), Integer.parseInt(parts[3]));
        }

        String format() {
            return number + " " + address + " " + memory + " " + rkey;
        }

        PathAddress path() {
            return new PathAddress(Gid.of(InetAddress.getLoopbackAddress()), 0, 0, 0, 0, 64, address);
        }
    }

    private ForkedEnd(Process process) {
        this.process = process;
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Starts a process and connects it to an end of this one. */
    static ForkedEnd connect(End own, long size, String... jvmOptions) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(jvmOptions));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ForkedEnd.class.getName()));
        command.add(Long.toString(size));
        ForkedEnd forked = new ForkedEnd(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        forked.description = Description.parse(forked.answer());
        own.init();
        own.readyToReceive(forked.description.path(), forked.description.number(), End.SEND_PSN_B);
        forked.commands.println(Description.of(own).format());
        own.readyToSend(End.SEND_PSN_A);
        forked.answer();
        return forked;
    }

    private String answer() throws IOException {
        String line;
        do {
            line = answers.readLine();
            if (line == null) {
                throw new IOException("The forked process ended");
            }
        } while (!line.startsWith("> "));
        return line.substring(2);
    }

    Description description() {
        return description;
    }

    /** As {@code kill -9} does it. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        commands.close();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException ex) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Polls all the time. */
    private static void watch(End end) {
        Thread watcher = new Thread(() -> {
            end.queue.attend(true);
            while (end.queue.poll(end.completions) >= 0) {
                Thread.onSpinWait();
            }
        });
        watcher.setDaemon(true);
        watcher.start();
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (End end = new End(SoftDeviceOptions.defaults(), Long.parseLong(arguments[0]))) {
            end.init();
            System.out.println("> " + Description.of(end).format());
            Description peer = Description.parse(in.readLine());
            end.readyToReceive(peer.path(), peer.number(), End.SEND_PSN_A);
            end.readyToSend(End.SEND_PSN_B);
            if (Boolean.getBoolean("spin")) {
                watch(end);
            }
            System.out.println("> ready");
            String line = in.readLine();
            while (line != null) {
                line = in.readLine();
            }
        }
    }
}

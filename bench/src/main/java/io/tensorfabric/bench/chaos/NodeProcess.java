package io.tensorfabric.bench.chaos;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One start of a node, as a process. Used by one thread at a time; only {@link #violation()} may be asked by others. */
final class NodeProcess {

    /** What a graceful shutdown may take: its phases, and a machine with other work. */
    private static final long TERMINATION_SECONDS = 60;

    private static final int EXIT_AFTER_TERMINATION = 143;

    private static final long ANSWER_SECONDS = 20;

    private final String node;

    private final int generation;

    private final Path journal;

    private final Path log;

    private final Process process;

    private final Writer orders;

    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();

    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private final List<Incarnation.Pause> pauses = new ArrayList<>();

    private volatile Incarnation.@Nullable End end;

    private volatile @Nullable String violation;

    private long endAsked;

    private long endTime;

    private long stoppedAt;

    NodeProcess(String node, int generation, List<String> command, Map<String, String> environment, Path folder)
            throws IOException {
        this.node = node;
        this.generation = generation;
        this.journal = journal(folder, node, generation);
        this.log = folder.resolve(node + "-" + generation + ".log");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        process = builder.start();
        orders = new BufferedWriter(process.outputWriter(StandardCharsets.UTF_8));
        Thread reader = new Thread(this::read, "chaos-output-" + node + "-" + generation);
        reader.setDaemon(true);
        reader.start();
        process.onExit().thenAccept(this::exited);
    }

    static Path journal(Path folder, String node, int generation) {
        return folder.resolve(node + "-" + generation + ".journal");
    }

    /** Whether the node has started; ends exceptionally when it ends before that. */
    CompletableFuture<Boolean> ready() {
        return ready;
    }

    /** What this process did that it should not have. */
    @Nullable String violation() {
        return violation;
    }

    void order(String order) throws IOException {
        orders.write(order + "\n");
        orders.flush();
    }

    /** Asks for the load's status. */
    String status() throws IOException, InterruptedException {
        answers.clear();
        order(NodeCommand.ASK);
        String answer = answers.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
        if (answer == null) {
            throw new IOException("Node " + node + " does not answer, see " + log);
        }
        return answer;
    }

    void kill() throws InterruptedException {
        endAsked = System.nanoTime();
        end = Incarnation.End.KILLED;
        process.destroyForcibly();
        process.waitFor();
        // Not before: until now it may have taken and noted something.
        endTime = System.nanoTime();
        resumed();
    }

    /** Tells it to end and waits for that. */
    void terminate() throws InterruptedException {
        endAsked = System.nanoTime();
        end = Incarnation.End.TERMINATED;
        process.destroy();
        if (!process.waitFor(TERMINATION_SECONDS, TimeUnit.SECONDS)) {
            violation = "hung: node " + node + ", start " + generation + ", did not end within " + TERMINATION_SECONDS
                    + " s after SIGTERM, see " + log;
            kill();
        }
        endTime = System.nanoTime();
    }

    void pause() throws IOException, InterruptedException {
        stoppedAt = System.nanoTime();
        signal("STOP");
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
        resumed();
    }

    private void resumed() {
        if (stoppedAt != 0) {
            pauses.add(new Incarnation.Pause(stoppedAt, System.nanoTime()));
            stoppedAt = 0;
        }
    }

    private void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new IOException("Cannot send SIG" + name + " to node " + node);
        }
    }

    /** What is known of this process after its end. */
    Incarnation incarnation() throws IOException {
        Incarnation.End how = end == null ? Incarnation.End.TERMINATED : end;
        return new Incarnation(node, generation, how, endAsked, endTime, pauses, Journal.read(journal));
    }

    private void exited(Process ended) {
        if (end == null) {
            violation = "died: node " + node + ", start " + generation + ", ended with " + ended.exitValue()
                    + " and nobody killed it, see " + log;
            endAsked = System.nanoTime();
            endTime = endAsked;
        } else if (end == Incarnation.End.TERMINATED && ended.exitValue() != EXIT_AFTER_TERMINATION) {
            violation = "exit: node " + node + ", start " + generation + ", ended with " + ended.exitValue()
                    + " after SIGTERM, see " + log;
        }
        ready.completeExceptionally(new IOException("Node " + node + " has ended, see " + log));
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
                PrintStream copy = new PrintStream(log.toFile(), StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(NodeCommand.READY)) {
                    ready.complete(true);
                } else if (line.startsWith(NodeCommand.STATUS)) {
                    answers.add(line.substring(NodeCommand.STATUS.length()));
                } else {
                    copy.println(line);
                }
            }
        } catch (IOException ex) {
            ready.completeExceptionally(ex);
        }
    }
}

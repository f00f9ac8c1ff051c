package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of runs with faults. */
@Command(
        name = "./dev chaos",
        description = "Lets three processes push to each other, disturbs them, and checks what they promise.",
        mixinStandardHelpOptions = true,
        subcommands = NodeCommand.class)
public final class ChaosApplication implements Callable<Integer> {

    private static final List<String> NODE_OPTIONS = List.of(
            "-Xmx128m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError");

    private static final int MOST_VIOLATIONS = 50;

    private static final int MOST_SEED = 1_000_000;

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Option(names = "--seconds", defaultValue = "60", description = "how long faults happen (${DEFAULT-VALUE})")
    int seconds = 60;

    @Option(names = "--seed", description = "the faults to do: the same seed means the same plan (a random one)")
    @Nullable Long seed;

    @Option(names = "--folder", description = "for logs and journals of the nodes (a new temporary one)")
    @Nullable Path folder;

    @Option(
            names = "--roce",
            description = "on the RDMA devices of the Soft-RoCE guest, which has to be where this runs")
    boolean roce;

    private ChaosApplication() {}

    /**
     * Runs and exits, with 0 only if no promise was broken.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new ChaosApplication());
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        long chosen = seed == null ? ThreadLocalRandom.current().nextInt(MOST_SEED) : seed;
        Path logs = folder == null ? Files.createTempDirectory("chaos") : Files.createDirectories(folder);
        say(out, "seed " + chosen + ", logs in " + logs);
        try {
            Network network = roce ? new RoceNetwork() : new SoftNetwork();
            ChaosRun run = new ChaosRun(chosen, Duration.ofSeconds(seconds), logs, network, line -> say(out, line));
            ChaosRun.Result result = run.run(nodeCommand());
            say(out, "seed " + chosen + ", logs in " + logs);
            return report(out, result);
        } catch (IOException | RuntimeException ex) {
            ex.printStackTrace(out);
            say(out, "chaos FAILED: seed " + chosen + ": " + ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            say(out, "chaos FAILED: interrupted");
        }
        return 1;
    }

    private static List<String> nodeCommand() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(NODE_OPTIONS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ChaosApplication.class.getName()));
        return command;
    }

    static int report(PrintWriter out, ChaosRun.Result result) {
        Tally tally = result.tally();
        int faults = 0;
        for (Map.Entry<Fault.Kind, Integer> fault : result.faults().entrySet()) {
            say(out, String.format("fault   %-12s %6d", fault.getKey(), fault.getValue()));
            faults += fault.getValue();
        }
        say(out, String.format("fault   %-12s %6d", "(skipped)", result.skipped()));
        tally.outcomes().forEach((outcome, count) -> say(out, String.format("outcome %-12s %6d", outcome, count)));
        say(out, String.format("outcome %-12s %6d", "(killed)", tally.lostWithSender()));
        say(
                out,
                tally.delivered() + " tensors delivered, " + tally.redelivered()
                        + " of them again to a later start of the receiver; " + tally.lostWithReceiver()
                        + " with a receipt died with their receiver; latest end "
                        + tally.latest().toMillis()
                        + " ms after a deadline");
        List<String> violations = tally.violations();
        violations.stream().limit(MOST_VIOLATIONS).forEach(violation -> say(out, "violation: " + violation));
        if (violations.isEmpty()) {
            say(out, "chaos ok: " + tally.pushes() + " pushes, " + faults + " faults, 0 violations");
            return 0;
        }
        say(
                out,
                "chaos FAILED: " + tally.pushes() + " pushes, " + faults + " faults, " + violations.size()
                        + " violations, the first: " + violations.get(0));
        return 1;
    }

    private static void say(PrintWriter out, String line) {
        out.println(line);
        out.flush();
    }
}

package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Samples;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What connected peers cost that nobody talks to. */
@Command(
        name = "idle",
        description =
                "Connects many nodes of another process to one, through the software device, and measures that one while they"
                        + " are idle: processor time, memory of each, and latency of pushes to one of them beside the others.",
        mixinStandardHelpOptions = true)
final class IdleCommand implements Callable<Integer> {

    /** For sockets of the negotiation to end, and for the compiler to be done with what it was just used for. */
    private static final long SETTLE_MILLIS = 2000;

    /** A push that finds the peer's poller still polling takes a fraction of the time, and so do those that follow: on a busy
     * machine that holds for some pieces and not for others. */
    private static final int PIECES = 8;

    @Mixin
    MeasureOptions measure = new MeasureOptions(4, 3, 1);

    @Mixin
    PushSettings settings = new PushSettings();

    @Option(
            names = "--peers",
            split = ",",
            defaultValue = "1,10,100",
            description = "how many are connected, by turns (${DEFAULT-VALUE})")
    List<Integer> peers = List.of();

    @Option(
            names = "--zone",
            defaultValue = "1MB",
            description = "landing zone of each peer, at both ends (${DEFAULT-VALUE})")
    ByteSize zone = new ByteSize(1L << 20);

    @Option(
            names = "--pushes",
            defaultValue = "100",
            description = "pushes of each peer to the measured node before it is idle (${DEFAULT-VALUE})")
    int pushes;

    /** From few to many, each once. */
    List<Integer> counts() {
        List<Integer> counts = peers.stream().sorted().distinct().toList();
        if (counts.isEmpty() || counts.get(0) < 1) {
            throw new ParameterException(measure.command.commandLine(), "--peers takes numbers from 1 on");
        }
        return counts;
    }

    @Override
    public Integer call() throws Exception {
        List<Integer> counts = counts();
        int most = counts.get(counts.size() - 1);
        IdleReport report = new IdleReport(zone);
        measure.progress("starting a node, and a process of " + most + " peers");
        try (IdleNode node = IdleNode.start(most, zone, settings.arguments());
                NodeProcess others = others(node.url(), most)) {
            others.tell("1");
            node.awaitPeers(1);
            node.latency(2 * measure.seconds());
            for (int round = 1; round <= measure.rounds(); round++) {
                for (int count : inTurn(counts, round)) {
                    measure.progress("round " + round + ": " + count + (count == 1 ? " peer" : " peers"));
                    measure(node, others, count, report);
                }
            }
        }
        PrintWriter out = measure.out();
        report.print(out);
        out.flush();
        measure.save(report.csv(), report.svg());
        return 0;
    }

    /** Up and down again, which takes the fewest connections. */
    static List<Integer> inTurn(List<Integer> counts, int round) {
        List<Integer> turn = new ArrayList<>(counts);
        if (round % 2 == 0) {
            Collections.reverse(turn);
        }
        return turn;
    }

    private NodeProcess others(String url, int most) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(List.of(
                "--url",
                url,
                "--most",
                String.valueOf(most),
                "--zone",
                zone.toString(),
                "--pushes",
                String.valueOf(pushes)));
        settings.arguments().forEach(argument -> options.add("--argument=" + argument));
        return NodeProcess.start("idle-peers", options);
    }

    private void measure(IdleNode node, NodeProcess others, int count, IdleReport report) throws Exception {
        others.tell(String.valueOf(count));
        node.awaitPeers(count);
        // The collection that it begins with must not fall into what follows.
        report.add(count, node.footprint());
        Thread.sleep(SETTLE_MILLIS);
        IdleReport.Load load = node.idle(measure.seconds(), others.handle());
        node.latency(measure.seconds() / 4);
        List<Samples> pieces = new ArrayList<>();
        for (int i = 0; i < PIECES; i++) {
            pieces.add(node.latency(measure.seconds() / PIECES));
        }
        report.add(count, load, pieces);
    }
}

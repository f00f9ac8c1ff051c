package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Does what a plan says, on one thread. */
final class Disturber {

    private final List<Node> nodes;

    private final Consumer<String> progress;

    private final Map<Fault.Kind, Integer> done = new EnumMap<>(Fault.Kind.class);

    private final PriorityQueue<Step> ends = new PriorityQueue<>(Comparator.comparingLong(Step::at));

    /** What is under way at a node; of each kind one at most. */
    private final List<Fault> current = new ArrayList<>();

    private int skipped;

    Disturber(List<Node> nodes, Consumer<String> progress) {
        this.nodes = List.copyOf(nodes);
        this.progress = progress;
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private record Step(long at, Fault fault, Work work) {}

    Map<Fault.Kind, Integer> done() {
        return done;
    }

    /** Faults that could not happen, because the process was not up or the like was happening to it already. */
    int skipped() {
        return skipped;
    }

    /** Does all of the plan, and returns when the last fault is over and all nodes are up. */
    void run(List<Fault> plan, Duration length) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        for (Fault fault : plan) {
            runUntil(begin + fault.at().toNanos());
            begin(fault);
        }
        runUntil(begin + length.toNanos());
        while (!ends.isEmpty()) {
            runUntil(ends.element().at());
        }
        for (Node node : nodes) {
            node.awaitReady();
        }
    }

    /** Ends faults whose time has come, and lets new processes begin with the load. */
    private void runUntil(long time) throws IOException, InterruptedException {
        while (true) {
            long next = ends.isEmpty() ? time : Math.min(time, ends.element().at());
            long left = next - System.nanoTime();
            if (left > 0) {
                TimeUnit.NANOSECONDS.sleep(left);
                continue;
            }
            if (ends.isEmpty() || ends.element().at() > time) {
                return;
            }
            Step step = ends.remove();
            current.remove(step.fault());
            step.work().run();
        }
    }

    private void begin(Fault fault) throws IOException, InterruptedException {
        Node node = nodes.get(fault.node());
        if (!isPossible(fault, node)) {
            skipped++;
            return;
        }
        done.merge(fault.kind(), 1, Integer::sum);
        progress.accept(String.format(
                "%6.1f s  %s %s for %d ms",
                fault.at().toMillis() / 1e3,
                fault.kind(),
                node.id(),
                fault.length().toMillis()));
        switch (fault.kind()) {
            case KILL -> {
                node.kill();
                finishLater(fault, () -> startAgain(node));
            }
            case RESTART -> {
                node.terminate();
                finishLater(fault, () -> startAgain(node));
            }
            case STOP -> {
                node.current().pause();
                finishLater(fault, node.current()::resume);
            }
            case CUT_REST -> node.rest().cut();
            default -> disturbNetwork(fault, node);
        }
    }

    private void disturbNetwork(Fault fault, Node node) throws IOException, InterruptedException {
        node.data().begin(fault.kind());
        disturbNegotiation(fault.kind(), node, true);
        if (!fault.kind().isMomentary()) {
            finishLater(fault, () -> {
                node.data().end(fault.kind());
                disturbNegotiation(fault.kind(), node, false);
            });
        }
    }

    private static void disturbNegotiation(Fault.Kind kind, Node node, boolean value) {
        if (kind == Fault.Kind.PARTITION) {
            node.rest().refuse(value);
        } else if (kind == Fault.Kind.STALL) {
            node.rest().stall(value);
        }
    }

    private boolean isPossible(Fault fault, Node node) {
        if (fault.kind().isOfProcess()) {
            return node.isReady()
                    && current.stream()
                            .noneMatch(other ->
                                    other.node() == fault.node() && other.kind().isOfProcess());
        }
        return current.stream().noneMatch(other -> other.node() == fault.node() && other.kind() == fault.kind());
    }

    private void finishLater(Fault fault, Work work) {
        current.add(fault);
        ends.add(new Step(System.nanoTime() + fault.length().toNanos(), fault, work));
    }

    /** The load goes on as soon as the process is ready; what is written to it before that waits in the pipe. */
    private static void startAgain(Node node) throws IOException {
        node.start();
        node.current().order(NodeCommand.ON);
    }
}

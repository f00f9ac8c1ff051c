package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Three nodes, a time with load, a time with faults, a time to recover, and the check. */
final class ChaosRun {

    private static final List<String> NAMES = List.of("a", "b", "c");

    private static final Duration WARM_UP = Duration.ofSeconds(4);

    /** After the last fault: heartbeats, breakers and backoffs are seconds, and deadlines up to eight. */
    private static final Duration RECOVERY = Duration.ofSeconds(60);

    private static final Duration QUIET = Duration.ofSeconds(90);

    /** Longer than zones of their own stay without use, so that a figure that stays so long will not fall. */
    private static final int STEADY_READINGS = 12;

    private static final long READING_MILLIS = 250;

    /** Below the ports that the kernel gives to outgoing connections, so that a node finds its own free again. */
    private static final int LEAST_PORT = 20_000;

    private static final int MOST_PORT = 32_000;

    private static final int PORT_ATTEMPTS = 200;

    /** Of the environment, since command lines are for all to read. */
    private static final String SECRET = "FABRIC_SECURITY_SHARED_SECRET";

    private static final int SECRET_BYTES = 32;

    private static final SecureRandom SECURE = new SecureRandom();

    private final long seed;

    private final Duration length;

    private final Path folder;

    private final Network network;

    private final Consumer<String> progress;

    private final List<Node> nodes = new ArrayList<>();

    private final List<String> violations = new ArrayList<>();

    ChaosRun(long seed, Duration length, Path folder, Network network, Consumer<String> progress) {
        this.seed = seed;
        this.length = length;
        this.folder = folder;
        this.network = network;
        this.progress = progress;
    }

    /**
     * What a run came to.
     *
     * @param tally of pushes, with all violations
     * @param faults how many of each kind happened
     * @param skipped faults of the plan that could not happen
     */
    record Result(Tally tally, Map<Fault.Kind, Integer> faults, int skipped) {}

    Result run(List<String> java) throws IOException, InterruptedException {
        try {
            return runNodes(java);
        } finally {
            for (Node node : nodes) {
                node.close();
            }
        }
    }

    private Result runNodes(List<String> java) throws IOException, InterruptedException {
        progress.accept("starting nodes " + String.join(", ", NAMES));
        makeNodes(java);
        for (Node node : nodes) {
            node.start();
        }
        for (Node node : nodes) {
            node.awaitReady();
        }
        progress.accept("load without faults");
        orderAll(NodeCommand.ON);
        TimeUnit.NANOSECONDS.sleep(WARM_UP.toNanos());
        awaitReceipts("before the faults");
        quiesce();
        Map<String, Figures> baseline = baseline();
        orderAll(NodeCommand.ON);
        List<Fault> plan = Fault.plan(seed, length, nodes.size(), network);
        progress.accept("load with " + plan.size() + " faults planned in " + length.toSeconds() + " s");
        Disturber disturber = new Disturber(nodes, progress);
        disturber.run(plan, length);
        progress.accept("faults are over, waiting for recovery");
        awaitReceipts("after the faults");
        quiesce();
        awaitBaseline(baseline);
        for (Node node : nodes) {
            progress.accept(paths(node));
        }
        progress.accept("ending the nodes");
        for (Node node : nodes) {
            node.terminate();
        }
        return check(disturber);
    }

    /** That what the faults disturb is what the nodes use; a run in which they found another way proves nothing. */
    private String paths(Node node) throws IOException {
        if (node.data().bytes() == 0 || node.rest().connections() == 0) {
            violations.add("no proof: nothing reached node " + node.id() + " where the faults are");
        }
        return "to " + node.id() + ": " + node.data().summary() + ", "
                + node.rest().connections() + " connections for the negotiation";
    }

    private Result check(Disturber disturber) throws IOException {
        List<Incarnation> incarnations = new ArrayList<>();
        for (Node node : nodes) {
            incarnations.addAll(node.incarnations());
            violations.addAll(node.violations());
        }
        Tally tally = Checker.check(incarnations, network.slowness());
        violations.addAll(tally.violations());
        return new Result(tally.withViolations(violations), disturber.done(), disturber.skipped());
    }

    private void makeNodes(List<String> java) throws IOException {
        Random random = new Random();
        Set<Integer> taken = new TreeSet<>();
        Map<String, Node.Place> places = new HashMap<>();
        for (int i = 0; i < NAMES.size(); i++) {
            String id = NAMES.get(i);
            places.put(
                    id, new Node.Place(i, id, freePort(random, taken), freePort(random, taken), "127.0.1." + (11 + i)));
        }
        Map<String, String> secret = Map.of(SECRET, HexFormat.of().formatHex(SECURE.generateSeed(SECRET_BYTES)));
        for (String id : NAMES) {
            Node.Place place = Objects.requireNonNull(places.get(id));
            List<String> command = new ArrayList<>(java);
            command.addAll(List.of("node", "--id", id, "--seed", Long.toString(seed)));
            command.addAll(List.of("--port", Integer.toString(place.port())));
            for (String property : network.properties(place)) {
                command.addAll(List.of("--property", property));
            }
            for (Node.Place peer : places.values()) {
                if (!peer.id().equals(id)) {
                    command.add("--peer");
                    command.add(peer.id() + "=http://" + peer.advertised() + ":" + peer.port());
                }
            }
            nodes.add(new Node(place, network.pathTo(place), command, secret, folder));
        }
    }

    private static int freePort(Random random, Set<Integer> taken) throws IOException {
        for (int i = 0; i < PORT_ATTEMPTS; i++) {
            int port = random.nextInt(LEAST_PORT, MOST_PORT);
            if (!taken.add(port)) {
                continue;
            }
            try (ServerSocket all = new ServerSocket(port)) {
                return all.getLocalPort();
            } catch (IOException ex) {
                // Somebody else's.
            }
        }
        throw new IOException("No free port between " + LEAST_PORT + " and " + MOST_PORT);
    }

    private void orderAll(String order) throws IOException {
        for (Node node : nodes) {
            if (node.isAlive()) {
                node.current().order(order);
            }
        }
    }

    /** Waits until each node has had a receipt from each other one, counted from now. */
    private void awaitReceipts(String when) throws IOException, InterruptedException {
        for (Node node : nodes) {
            node.status();
        }
        Set<String> missing = new TreeSet<>();
        for (String from : NAMES) {
            NAMES.stream().filter(to -> !to.equals(from)).forEach(to -> missing.add(from + " to " + to));
        }
        long begin = System.nanoTime();
        while (!missing.isEmpty() && System.nanoTime() - begin < RECOVERY.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(READING_MILLIS);
            for (Node node : nodes) {
                node.status().forEach((peer, receipts) -> {
                    if (receipts > 0) {
                        missing.remove(node.id() + " to " + peer);
                    }
                });
            }
        }
        for (String pair : missing) {
            violations.add("no recovery: no push from " + pair + " had a receipt within " + RECOVERY.toSeconds() + " s "
                    + when);
        }
        if (missing.isEmpty()) {
            progress.accept(String.format("all push to all, %.1f s %s", (System.nanoTime() - begin) / 1e9, when));
        }
    }

    /** Ends the load and waits for the ends of all pushes. */
    private void quiesce() throws IOException, InterruptedException {
        orderAll(NodeCommand.OFF);
        long begin = System.nanoTime();
        for (Node node : nodes) {
            int active = node.status().getOrDefault("active", 0);
            while (active > 0 && System.nanoTime() - begin < QUIET.toNanos()) {
                TimeUnit.MILLISECONDS.sleep(READING_MILLIS);
                active = node.status().getOrDefault("active", 0);
            }
            if (active > 0) {
                violations.add("no end: node " + node.id() + " has " + active + " pushes without an end "
                        + QUIET.toSeconds() + " s after the load");
            }
        }
    }

    /** What the nodes hold once that has stopped falling. */
    private Map<String, Figures> baseline() throws IOException, InterruptedException {
        Map<String, Figures> baseline = new HashMap<>();
        for (Node node : nodes) {
            Figures last = node.figures();
            int steady = 0;
            long begin = System.nanoTime();
            while (steady < STEADY_READINGS && System.nanoTime() - begin < QUIET.toNanos()) {
                TimeUnit.MILLISECONDS.sleep(READING_MILLIS);
                Figures now = node.figures();
                steady = now.holdsLessThan(last) ? 0 : steady + 1;
                last = now;
            }
            progress.accept("baseline of " + node.id() + ": " + last);
            baseline.put(node.id(), last);
        }
        return baseline;
    }

    private void awaitBaseline(Map<String, Figures> baseline) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        for (Node node : nodes) {
            Figures then = Objects.requireNonNull(baseline.get(node.id()));
            Figures now = node.figures();
            while (!now.leaks(node.id(), then).isEmpty() && System.nanoTime() - begin < QUIET.toNanos()) {
                TimeUnit.MILLISECONDS.sleep(READING_MILLIS);
                now = node.figures();
            }
            progress.accept("in the end " + node.id() + ": " + now);
            violations.addAll(now.leaks(node.id(), then));
        }
    }
}

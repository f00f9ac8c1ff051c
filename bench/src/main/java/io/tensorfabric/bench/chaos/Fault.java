package io.tensorfabric.bench.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/**
 * A fault of the plan.
 *
 * @param at when it begins, from the start of the faults
 * @param kind what happens
 * @param node index of the node that it happens to
 * @param length how long it lasts
 */
record Fault(Duration at, Kind kind, int node, Duration length) {

    /** What happens. */
    enum Kind {
        /** SIGKILL; the length is the time until it is started again. */
        KILL(100, 3000),
        /** SIGTERM; as above. */
        RESTART(100, 1500),
        /** SIGSTOP, then SIGCONT; some last longer than the heartbeat timeout. */
        STOP(100, 6000),
        /** Connections of the software device break at once. */
        CUT_DATA(0, 1),
        /** Calls of the negotiation break at once. */
        CUT_REST(0, 1),
        /** Neither data nor negotiation reaches the node: connections break and new ones are refused. */
        PARTITION(200, 6000),
        /** Data to the node is late. */
        DELAY(500, 5000),
        /** Data and negotiation to the node stand still, and go on later. */
        STALL(500, 7000),
        /** Some packets to the node are lost. */
        LOSS(500, 6000),
        /** The port of the node's device goes down, and with it that at the other end of the cable. */
        LINK_DOWN(100, 3000);

        private final int leastMillis;

        private final int mostMillis;

        Kind(int leastMillis, int mostMillis) {
            this.leastMillis = leastMillis;
            this.mostMillis = mostMillis;
        }

        /** Whether it needs the process to itself. */
        boolean isOfProcess() {
            return this == KILL || this == RESTART || this == STOP;
        }

        /** Whether it is over as soon as it happened. */
        boolean isMomentary() {
            return this == CUT_DATA || this == CUT_REST;
        }
    }

    private static final int LEAST_GAP_MILLIS = 200;

    private static final int MOST_GAP_MILLIS = 1800;

    /** The same faults for the same seed: first each kind once in some order, then each as often as its weight says. */
    static List<Fault> plan(long seed, Duration length, int nodes, Network network) {
        Map<Kind, Integer> weights = network.faults();
        Random random = new Random(seed);
        List<Fault> plan = new ArrayList<>();
        List<Kind> first = new ArrayList<>(new TreeSet<>(weights.keySet()));
        Collections.shuffle(first, random);
        long at = 0;
        while (true) {
            at += (long) random.nextInt(LEAST_GAP_MILLIS, MOST_GAP_MILLIS) * network.rarity();
            if (at >= length.toMillis()) {
                return List.copyOf(plan);
            }
            Kind kind = plan.size() < first.size() ? first.get(plan.size()) : pick(random, weights);
            int node = random.nextInt(nodes);
            long lasts = random.nextInt(kind.leastMillis, kind.mostMillis);
            plan.add(new Fault(Duration.ofMillis(at), kind, node, Duration.ofMillis(lasts)));
        }
    }

    private static Kind pick(Random random, Map<Kind, Integer> weights) {
        int all = weights.values().stream().mapToInt(Integer::intValue).sum();
        int left = random.nextInt(all);
        for (Kind kind : Kind.values()) {
            left -= weights.getOrDefault(kind, 0);
            if (left < 0) {
                return kind;
            }
        }
        throw new IllegalStateException("The weights do not add up");
    }
}

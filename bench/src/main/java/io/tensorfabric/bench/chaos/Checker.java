package io.tensorfabric.bench.chaos;

import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TransferException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares what nodes noted with what the fabric promises.
 *
 * <p>A tensor is delivered at most once to each start of a receiver: what a killed process had seen is forgotten with it,
 * and a push that is tried again then reaches the next start. A push without a receipt may have been delivered or not.
 */
final class Checker {

    /** For the scheduling of threads on a machine with more of them than processors. */
    static final Duration LATE = Duration.ofSeconds(1);

    /** The same for the first pushes of a process, which wait for classes to be loaded and compiled. */
    static final Duration LATE_AT_FIRST = Duration.ofSeconds(3);

    /** How long pushes are the first ones. */
    static final Duration AT_FIRST = Duration.ofSeconds(5);

    /** From a receipt until a listener has the tensor. */
    static final Duration DELIVERY = Duration.ofSeconds(5);

    private static final Set<String> RECEIPTS =
            Stream.of(ReceiptLevel.values()).map(ReceiptLevel::name).collect(Collectors.toUnmodifiableSet());

    /** Kinds with which a push may end when peers die; the others would mean that it was mistaken for another. */
    private static final Set<String> EXPECTED = Stream.of(
                    TransferException.Kind.PEER_LOST,
                    TransferException.Kind.DEADLINE,
                    TransferException.Kind.BACKPRESSURE,
                    TransferException.Kind.CLOSED)
            .map(Enum::name)
            .collect(Collectors.toUnmodifiableSet());

    private final List<Incarnation> incarnations;

    private final Map<PushId, Life> lives = new HashMap<>();

    private final Map<String, Long> outcomes = new TreeMap<>();

    private final List<String> violations = new ArrayList<>();

    private long pushes;

    private long delivered;

    private long redelivered;

    private long lostWithSender;

    private long lostWithReceiver;

    private long latestNanos;

    private final int slowness;

    private Checker(List<Incarnation> incarnations, int slowness) {
        this.incarnations = incarnations;
        this.slowness = slowness;
    }

    /**
     * Checks what nodes noted.
     *
     * @param slowness how many times longer than on a machine of one's own the scheduling of threads may take
     */
    static Tally check(List<Incarnation> incarnations, int slowness) {
        return new Checker(List.copyOf(incarnations), slowness).check();
    }

    private Tally check() {
        incarnations.forEach(this::collect);
        lives.forEach(this::check);
        return new Tally(
                pushes,
                delivered,
                redelivered,
                lostWithSender,
                lostWithReceiver,
                outcomes,
                Duration.ofNanos(latestNanos),
                violations);
    }

    private void collect(Incarnation incarnation) {
        for (Event event : incarnation.events()) {
            if (event instanceof Event.Started started) {
                Life life = life(started.push());
                life.started = started;
                life.sender = incarnation;
            } else if (event instanceof Event.Ended ended) {
                Life life = life(ended.push());
                if (life.ended != null) {
                    violations.add("ended twice: push " + ended.push() + ", as " + life.ended.outcome() + " and as "
                            + ended.outcome());
                }
                life.ended = ended;
            } else if (event instanceof Event.Received received) {
                collect(incarnation, received);
            } else if (event instanceof Event.Broken broken) {
                violations.add("node " + incarnation.node() + ": " + broken.text());
            }
        }
    }

    private void collect(Incarnation incarnation, Event.Received received) {
        delivered++;
        if (!received.verdict().equals(Event.INTACT)) {
            violations.add(
                    "damaged: node " + incarnation.node() + " got " + received.push() + ": " + received.verdict());
        }
        PushId push = received.push();
        if (push != null) {
            life(push).arrivals.add(new Arrival(incarnation, received));
        }
    }

    private Life life(PushId push) {
        return lives.computeIfAbsent(push, key -> new Life());
    }

    private void check(PushId push, Life life) {
        Event.Started started = life.started;
        Incarnation sender = life.sender;
        if (started == null || sender == null) {
            violations.add("out of nothing: " + push + " arrived and was never pushed");
            return;
        }
        pushes++;
        checkArrivals(push, started, life.arrivals);
        Event.Ended ended = life.ended;
        if (ended == null) {
            if (sender.end() == Incarnation.End.KILLED) {
                lostWithSender++;
            } else {
                violations.add("no end: push " + push + " to " + started.receiver());
            }
            return;
        }
        outcomes.merge(ended.outcome(), 1L, Long::sum);
        checkTime(push, started, ended, sender);
        if (RECEIPTS.contains(ended.outcome())) {
            checkReceipt(push, started, ended, life.arrivals);
        } else if (!EXPECTED.contains(ended.outcome())) {
            violations.add("wrong outcome: push " + push + " to " + started.receiver() + " ended with "
                    + ended.outcome() + ": " + ended.text());
        }
    }

    private void checkArrivals(PushId push, Event.Started started, List<Arrival> arrivals) {
        for (int i = 0; i < arrivals.size(); i++) {
            Incarnation receiver = arrivals.get(i).receiver();
            if (!receiver.node().equals(started.receiver())) {
                violations.add("astray: push " + push + " to " + started.receiver() + " arrived at " + receiver.node());
            }
            for (int k = 0; k < i; k++) {
                if (arrivals.get(k).receiver().equals(receiver)) {
                    violations.add("duplicate: push " + push + " was delivered twice to " + receiver.node() + ", start "
                            + receiver.generation());
                }
            }
        }
        redelivered += Math.max(0, arrivals.size() - 1);
    }

    private void checkTime(PushId push, Event.Started started, Event.Ended ended, Incarnation sender) {
        long deadline =
                started.time() + Duration.ofMillis(started.deadlineMillis()).toNanos();
        long late = ended.time() - deadline - sender.paused(started.time(), ended.time());
        boolean first = started.time() - sender.loadBegan() < AT_FIRST.toNanos() * slowness;
        if (!first) {
            latestNanos = Math.max(latestNanos, late);
        }
        if (late > (first ? LATE_AT_FIRST : LATE).toNanos() * slowness) {
            violations.add("late: push " + push + " to " + started.receiver() + " ended as " + ended.outcome() + " "
                    + late / 1_000_000 + " ms after its deadline of " + started.deadlineMillis() + " ms");
        }
    }

    /** A receipt is proof: the tensor was there, and only with the receiver can be lost what no listener had taken yet. */
    private void checkReceipt(PushId push, Event.Started started, Event.Ended ended, List<Arrival> arrivals) {
        if (!ended.outcome().equals(started.level().name())) {
            violations.add(
                    "wrong receipt: push " + push + " asked for " + started.level() + " and got " + ended.outcome());
        }
        boolean inTime = arrivals.stream().anyMatch(arrival -> arrival.event().time() <= ended.time());
        if (started.level() == ReceiptLevel.PROCESSED) {
            for (Arrival arrival : arrivals) {
                // Whoever has the receipt tries no more.
                if (inTime && arrival.event().time() > ended.time()) {
                    violations.add("duplicate: push " + push + " was delivered to "
                            + arrival.receiver().node() + ", start "
                            + arrival.receiver().generation()
                            + ", after its receipt");
                }
            }
            if (!inTime) {
                violations.add("false receipt: push " + push + " to " + started.receiver()
                        + " is PROCESSED, but no listener had it by then");
            }
        } else if (arrivals.isEmpty()) {
            if (diedWithReceiver(started, ended)) {
                lostWithReceiver++;
            } else {
                violations.add("lost: push " + push + " to " + started.receiver() + " is " + ended.outcome()
                        + ", but no listener got it, and the receiver did not end");
            }
        }
    }

    /**
     * Whether the receiver ended when it may have had the tensor and no listener had it yet. One that is told to end gives
     * listeners what it has accepted; what is only placed it may refuse.
     */
    private boolean diedWithReceiver(Event.Started started, Event.Ended ended) {
        return incarnations.stream()
                .filter(receiver -> receiver.node().equals(started.receiver()))
                .filter(receiver -> receiver.end() == Incarnation.End.KILLED || started.level() == ReceiptLevel.PLACED)
                .anyMatch(receiver -> receiver.endTime() >= started.time()
                        && receiver.endAsked() - receiver.paused(started.time(), receiver.endAsked())
                                <= ended.time() + DELIVERY.toNanos() * slowness);
    }

    private record Arrival(Incarnation receiver, Event.Received event) {}

    /** All that is known of a push. */
    private static final class Life {

        private final List<Arrival> arrivals = new ArrayList<>();

        private @Nullable Incarnation sender;

        private Event.@Nullable Started started;

        private Event.@Nullable Ended ended;
    }
}

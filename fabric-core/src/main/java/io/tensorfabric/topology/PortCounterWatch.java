package io.tensorfabric.topology;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * Tells which fault counters of a port grew lately, from looks at them now and then. It compares with the latest look that
 * is older than the window, or with its first one; so where nobody asks for long, it tells of that long, and since when.
 * Thread-safe.
 */
public final class PortCounterWatch {

    /** Looks that are kept within a window. */
    private static final int LOOKS = 30;

    private final PortCounters counters;

    private final Clock clock;

    private final Duration window;

    private final Deque<Look> looks = new ArrayDeque<>();

    private record Look(Instant time, Map<PortCounter, Long> values) {}

    /**
     * Growth of a counter.
     *
     * @param counter the counter
     * @param amount by how much it grew, at least 1
     * @param since since when
     */
    public record Growth(PortCounter counter, long amount, Instant since) {}

    /**
     * A watch that takes its first look now.
     *
     * @param counters counters to watch
     * @param clock tells the time
     * @param window how long growth counts as recent
     */
    public PortCounterWatch(PortCounters counters, Clock clock, Duration window) {
        this.counters = counters;
        this.clock = clock;
        this.window = window;
        looks.add(new Look(clock.instant(), counters.readAll()));
    }

    /** The fault counters that grew; a counter that was reset does not count as grown. */
    public synchronized List<Growth> growth() {
        Look now = new Look(clock.instant(), counters.readAll());
        forget(now.time().minus(window));
        Look before = looks.getFirst();
        keep(now);
        List<Growth> grown = new ArrayList<>();
        now.values().forEach((counter, value) -> {
            Long old = before.values().get(counter);
            if (counter.kind() == PortCounter.Kind.FAULT && old != null && value > old) {
                grown.add(new Growth(counter, value - old, before.time()));
            }
        });
        return grown;
    }

    /** The same in sentences, each with what to do. */
    public List<String> warnings() {
        return growth().stream()
                .map(growth -> "Port " + counters.port() + " of " + counters.device() + ": "
                        + growth.counter().label() + " grew by " + growth.amount() + " since " + growth.since() + ". "
                        + growth.counter().remedy())
                .toList();
    }

    private void forget(Instant begin) {
        while (looks.size() > 1 && !second().time().isAfter(begin)) {
            looks.removeFirst();
        }
    }

    private Look second() {
        var iterator = looks.iterator();
        iterator.next();
        return iterator.next();
    }

    private void keep(Look now) {
        if (!now.time().isBefore(looks.getLast().time().plus(window.dividedBy(LOOKS)))) {
            looks.addLast(now);
        }
    }
}

package io.tensorfabric.bench.chaos;

import java.util.List;

/**
 * One start of a node, as the driver saw it, with what it noted.
 *
 * @param node the node
 * @param generation which start, from 0
 * @param end how it ended
 * @param endAsked when it was told to end; {@link System#nanoTime()}
 * @param endTime when it had ended
 * @param pauses when it was stopped
 * @param events its journal
 */
record Incarnation(
        String node, int generation, End end, long endAsked, long endTime, List<Pause> pauses, List<Event> events) {

    /** How a process ended. */
    enum End {
        /** SIGKILL. */
        KILLED,
        /** SIGTERM, and it ended by itself. */
        TERMINATED
    }

    /** A time in which the process stood still. */
    record Pause(long from, long to) {

        long overlap(long begin, long end) {
            return Math.max(0, Math.min(to, end) - Math.max(from, begin));
        }
    }

    Incarnation {
        pauses = List.copyOf(pauses);
        events = List.copyOf(events);
    }

    /** When its first push began. */
    long loadBegan() {
        return events.stream()
                .filter(Event.Started.class::isInstance)
                .mapToLong(Event::time)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    long paused(long begin, long finish) {
        return pauses.stream().mapToLong(pause -> pause.overlap(begin, finish)).sum();
    }
}

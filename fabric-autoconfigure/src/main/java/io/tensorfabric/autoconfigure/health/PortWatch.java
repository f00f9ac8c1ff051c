package io.tensorfabric.autoconfigure.health;

import java.time.Clock;
import java.time.Duration;

/**
 * Tells whether a port is down for good or back for good, from looks at it now and then: it must be down for a grace period
 * to count as down, and up for as long to count as up again. Thread-safe.
 */
final class PortWatch {

    private final Clock clock;

    private final long graceMillis;

    private boolean down;

    private boolean changing;

    private long changedAt;

    PortWatch(Clock clock, Duration grace) {
        this.clock = clock;
        this.graceMillis = grace.toMillis();
    }

    /** Whether the port counts as down, given what it is now. */
    synchronized boolean isDown(boolean activeNow) {
        long now = clock.millis();
        if (activeNow != down) {
            changing = false;
        } else if (!changing) {
            changing = true;
            changedAt = now;
        } else if (now - changedAt >= graceMillis) {
            down = !activeNow;
            changing = false;
        }
        return down;
    }
}

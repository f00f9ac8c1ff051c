package io.tensorfabric.connection;

import java.time.Duration;

/** How a thread waits for completions. */
public enum CompletionMode {
    /** It polls without a pause: the least latency, for a whole processor. */
    SPIN,
    /** It polls for a while after the latest completion, then has the device wake it. */
    ADAPTIVE,
    /** It has the device wake it whenever there is nothing to do: the least processor time. */
    EVENT;

    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /** How long a poller without work polls before it sleeps, where {@code adaptive} is set for that mode. */
    Duration spin(Duration adaptive) {
        return switch (this) {
            case SPIN -> FOR_EVER;
            case ADAPTIVE -> adaptive;
            case EVENT -> Duration.ZERO;
        };
    }
}

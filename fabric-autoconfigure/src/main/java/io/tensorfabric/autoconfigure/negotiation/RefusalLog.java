package io.tensorfabric.autoconfigure.negotiation;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the operator about refused callers, each reason at most once in ten seconds: callers cannot flood the log. */
final class RefusalLog {

    private static final Logger logger = LoggerFactory.getLogger(RefusalLog.class);

    private static final long QUIET_NANOS = Duration.ofSeconds(10).toNanos();

    private final Map<String, Long> latest = new ConcurrentHashMap<>();

    /**
     * Logs a refusal, unless the same reason was logged a moment ago.
     *
     * @param reason one of a few fixed words
     * @param address remote address
     * @param text why, and what to do
     */
    void refused(String reason, String address, String text) {
        long now = System.nanoTime();
        Long before = latest.get(reason);
        if (before == null || now - before >= QUIET_NANOS) {
            latest.put(reason, now);
            logger.warn("Refused a negotiation from {}: {}", address, text);
        }
    }
}

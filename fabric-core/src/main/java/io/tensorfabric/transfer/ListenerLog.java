package io.tensorfabric.transfer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of a listener's failures: one that fails on each tensor must not flood it. Thread-safe. */
final class ListenerLog {

    private static final Logger log = LoggerFactory.getLogger(ListenerLog.class);

    private final LogThrottle throttle = new LogThrottle();

    void refused(ListenerRegistry.Listener listener, ReceivedTensor what, RuntimeException why) {
        long leftOut = throttle.take();
        if (leftOut >= 0) {
            log.warn(
                    "{} refused tensor '{}' of peer '{}': {}{}",
                    listener,
                    what.tensor().name(),
                    what.peer(),
                    why.getMessage(),
                    leftOut(leftOut));
        }
        log.debug("{} refused tensor '{}' of peer '{}'", listener, what.tensor().name(), what.peer(), why);
    }

    void failed(ListenerRegistry.Listener listener, ReceivedTensor what, Throwable problem) {
        long leftOut = throttle.take();
        if (leftOut >= 0) {
            log.warn(
                    "{} failed on tensor '{}' of peer '{}'{}",
                    listener,
                    what.tensor().name(),
                    what.peer(),
                    leftOut(leftOut),
                    problem);
        } else {
            log.debug(
                    "{} failed on tensor '{}' of peer '{}'",
                    listener,
                    what.tensor().name(),
                    what.peer(),
                    problem);
        }
    }

    private static String leftOut(long count) {
        return count == 0 ? "" : " (and " + count + " more since the last of these lines)";
    }
}

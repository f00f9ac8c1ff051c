package io.tensorfabric.connection;

/**
 * When a connection last moved something for its users. Marking it is a read on the hot path; the time is taken by whoever
 * looks after the connections, so it is as exact as that one's period. Thread-safe.
 */
final class UseClock {

    private final CompletionPoller poller;

    private volatile boolean marked;

    private volatile boolean useful;

    private volatile long last = System.nanoTime();

    /** @param poller is told of what moves, after which more may come at once */
    UseClock(CompletionPoller poller) {
        this.poller = poller;
    }

    /** It moves something. Poller thread. */
    void mark() {
        poller.used();
        if (!marked) {
            marked = true;
        }
    }

    /** Takes the time of what was marked since the last look. */
    void look() {
        if (marked) {
            marked = false;
            useful = true;
            last = System.nanoTime();
        }
    }

    /** It begins to be of use, with nothing moved yet. */
    void start() {
        last = System.nanoTime();
    }

    /** Whether it ever moved anything. */
    boolean wasUseful() {
        return useful || marked;
    }

    /** Time since it last moved something. */
    long idleNanos() {
        return marked ? 0 : System.nanoTime() - last;
    }
}

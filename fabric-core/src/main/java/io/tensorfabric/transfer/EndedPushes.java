package io.tensorfabric.transfer;

import java.util.ArrayList;
import java.util.List;

/**
 * Pushes that came to their end under a lock: those that wait for them, and callback threads, are told when it is released,
 * and the threads woken once for all. Not thread-safe.
 */
final class EndedPushes {

    private final Engine engine;

    private final List<Push> pushes = new ArrayList<>();

    private final List<Push> unwatched = new ArrayList<>();

    EndedPushes(Engine engine) {
        this.engine = engine;
    }

    void add(Push push) {
        pushes.add(push);
    }

    /** Tells of all, without any lock. */
    void tell() {
        for (int i = 0; i < pushes.size(); i++) {
            Push push = pushes.get(i);
            if (!push.isSeenToEnd()) {
                unwatched.add(push);
            }
        }
        pushes.clear();
        if (!unwatched.isEmpty()) {
            engine.callbacks(unwatched);
            unwatched.clear();
        }
    }
}

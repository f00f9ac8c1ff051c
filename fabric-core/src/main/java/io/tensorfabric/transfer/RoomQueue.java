package io.tensorfabric.transfer;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Pushes that wait for room in the peer's shared zones: small ones before large ones, each in order, so that a small one
 * never waits for the room of a large one. Guarded by the lock of its link's sender.
 */
final class RoomQueue {

    private final ArrayDeque<Push> small = new ArrayDeque<>();

    private final ArrayDeque<Push> large = new ArrayDeque<>();

    /** Whether a new push would overtake one of its turn. */
    boolean isBehind(Push push) {
        return !small.isEmpty() || (!push.isSmall() && !large.isEmpty());
    }

    void add(Push push) {
        (push.isSmall() ? small : large).add(push);
    }

    void remove(Push push) {
        if (!small.remove(push)) {
            large.remove(push);
        }
    }

    @Nullable Push peek() {
        Push first = small.peek();
        return first != null ? first : large.peek();
    }

    void clear() {
        small.clear();
        large.clear();
    }
}

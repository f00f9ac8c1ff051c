package io.tensorfabric.transfer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pushes that wait for something: those of a higher priority first, each in order. Guarded by the lock of its owner. */
final class PushQueue {

    private static final int RANKS = 4;

    private final boolean smallFirst;

    /** The first to go first. */
    private final List<ArrayDeque<Push>> ranks = new ArrayList<>(RANKS);

    private int size;

    private PushQueue(boolean smallFirst) {
        this.smallFirst = smallFirst;
        for (int i = 0; i < RANKS; i++) {
            ranks.add(new ArrayDeque<>(2));
        }
    }

    /** By priority alone. */
    static PushQueue byPriority() {
        return new PushQueue(false);
    }

    /**
     * Of normal priority, small ones go before large ones: for what a large one takes so much of that a small one would
     * wait long.
     */
    static PushQueue smallFirst() {
        return new PushQueue(true);
    }

    private int rank(Push push) {
        return switch (push.options().priority()) {
            case HIGH -> 0;
            case NORMAL -> smallFirst && push.isSmall() ? 1 : 2;
            case LOW -> 3;
        };
    }

    /** To the end of those of its rank. */
    void add(Push push) {
        ranks.get(rank(push)).add(push);
        size++;
    }

    /** The next one. */
    @Nullable Push peek() {
        for (int i = 0; i < RANKS; i++) {
            Push first = ranks.get(i).peek();
            if (first != null) {
                return first;
            }
        }
        return null;
    }

    /** Takes the next one. */
    @Nullable Push poll() {
        for (int i = 0; i < RANKS; i++) {
            Push first = ranks.get(i).poll();
            if (first != null) {
                size--;
                return first;
            }
        }
        return null;
    }

    /** Whether it was there. */
    boolean remove(Push push) {
        boolean removed = ranks.get(rank(push)).remove(push);
        if (removed) {
            size--;
        }
        return removed;
    }

    boolean contains(Push push) {
        return ranks.get(rank(push)).contains(push);
    }

    /** Whether a new push would overtake one of its turn. */
    boolean isBehind(Push push) {
        for (int i = rank(push); i >= 0; i--) {
            if (!ranks.get(i).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void clear() {
        ranks.forEach(ArrayDeque::clear);
        size = 0;
    }

    /** Takes those of a group, in order. */
    List<Push> drain(OutboundGroup group) {
        List<Push> all = new ArrayList<>();
        for (ArrayDeque<Push> rank : ranks) {
            rank.forEach(push -> {
                if (group.equals(push.group)) {
                    all.add(push);
                }
            });
            rank.removeIf(push -> group.equals(push.group));
        }
        size -= all.size();
        return all;
    }

    /** Takes all, in order. */
    List<Push> drain() {
        List<Push> all = new ArrayList<>(size);
        ranks.forEach(all::addAll);
        clear();
        return all;
    }
}

package io.tensorfabric.transfer;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hash map from {@code long} keys that allocates only when it grows: open addressing, linear probing, deletion by
 * shifting back. Not thread-safe.
 */
final class LongMap<V> {

    private static final int INITIAL = 16;

    private long[] keys = new long[INITIAL];

    private @Nullable Object[] values = new @Nullable Object[INITIAL];

    private int size;

    int size() {
        return size;
    }

    @SuppressWarnings("unchecked") // Only put writes values, and those are of type V.
    @Nullable V get(long key) {
        return (V) values[find(key)];
    }

    /** Sets a value and returns the one that was there. */
    @SuppressWarnings("unchecked") // As in get.
    @Nullable V put(long key, V value) {
        int slot = find(key);
        V before = (V) values[slot];
        keys[slot] = key;
        values[slot] = value;
        if (before == null) {
            size++;
            if (size > keys.length / 2) {
                grow();
            }
        }
        return before;
    }

    /** Removes a value and returns it. */
    @SuppressWarnings("unchecked") // As in get.
    @Nullable V remove(long key) {
        int slot = find(key);
        V before = (V) values[slot];
        if (before != null) {
            size--;
            closeGap(slot);
        }
        return before;
    }

    @SuppressWarnings("unchecked") // As in get.
    void forEach(Consumer<? super V> action) {
        for (Object value : values) {
            if (value != null) {
                action.accept((V) value);
            }
        }
    }

    private int find(long key) {
        int mask = keys.length - 1;
        int slot = home(key, mask);
        while (values[slot] != null && keys[slot] != key) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private static int home(long key, int mask) {
        long mixed = key * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32) & mask;
    }

    private void closeGap(int gap) {
        int mask = keys.length - 1;
        int slot = gap;
        while (true) {
            values[gap] = null;
            do {
                slot = slot + 1 & mask;
                if (values[slot] == null) {
                    return;
                }
            } while (inReach(home(keys[slot], mask), gap, slot));
            keys[gap] = keys[slot];
            values[gap] = values[slot];
            gap = slot;
        }
    }

    /** Whether an entry at {@code slot} whose probing starts at {@code home} is found without passing {@code gap}. */
    private static boolean inReach(int home, int gap, int slot) {
        return gap <= slot ? gap < home && home <= slot : gap < home || home <= slot;
    }

    private void grow() {
        long[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new @Nullable Object[oldKeys.length * 2];
        for (int i = 0; i < oldKeys.length; i++) {
            Object value = oldValues[i];
            if (value != null) {
                int slot = find(oldKeys[i]);
                keys[slot] = oldKeys[i];
                values[slot] = value;
            }
        }
    }
}

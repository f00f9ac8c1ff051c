package io.tensorfabric.memory;

import java.util.Arrays;

/**
 * Extents by number, and a search tree of some of them by size and then start: a treap in arrays, so that nothing is
 * allocated per extent. Operations take O(log n) expected time. Not thread-safe.
 */
final class ExtentTree {

    static final int NONE = -1;

    private static final int INITIAL_CAPACITY = 16;

    private long[] starts = new long[INITIAL_CAPACITY];

    private long[] sizes = new long[INITIAL_CAPACITY];

    private int[] lefts = new int[INITIAL_CAPACITY];

    private int[] rights = new int[INITIAL_CAPACITY];

    private int[] priorities = new int[INITIAL_CAPACITY];

    private int root = NONE;

    private int random = 0x9e3779b9;

    int capacity() {
        return starts.length;
    }

    void grow(int capacity) {
        starts = Arrays.copyOf(starts, capacity);
        sizes = Arrays.copyOf(sizes, capacity);
        lefts = Arrays.copyOf(lefts, capacity);
        rights = Arrays.copyOf(rights, capacity);
        priorities = Arrays.copyOf(priorities, capacity);
    }

    long start(int extent) {
        return starts[extent];
    }

    long size(int extent) {
        return sizes[extent];
    }

    /** Sets the range of an extent that is not in the tree. */
    void set(int extent, long start, long size) {
        starts[extent] = start;
        sizes[extent] = size;
    }

    void insert(int extent) {
        random ^= random << 13;
        random ^= random >>> 17;
        random ^= random << 5;
        priorities[extent] = random;
        int parent = NONE;
        int node = root;
        while (node != NONE && priorities[node] >= priorities[extent]) {
            parent = node;
            node = isBefore(extent, node) ? lefts[node] : rights[node];
        }
        split(node, extent);
        replaceChild(parent, extent, extent);
    }

    void remove(int extent) {
        int parent = NONE;
        int node = root;
        while (node != extent) {
            parent = node;
            node = isBefore(extent, node) ? lefts[node] : rights[node];
        }
        int merged = merge(lefts[extent], rights[extent]);
        replaceChild(parent, extent, merged);
    }

    /** The smallest extent of at least a size, the one with the lowest start among equals. */
    int ceiling(long size) {
        return firstFrom(size, Long.MIN_VALUE);
    }

    /** The next extent in the tree's order. */
    int successor(int extent) {
        return firstFrom(sizes[extent], starts[extent] + 1);
    }

    long largest() {
        int node = root;
        if (node == NONE) {
            return 0;
        }
        while (rights[node] != NONE) {
            node = rights[node];
        }
        return sizes[node];
    }

    private int firstFrom(long size, long start) {
        int best = NONE;
        int node = root;
        while (node != NONE) {
            if (sizes[node] > size || (sizes[node] == size && starts[node] >= start)) {
                best = node;
                node = lefts[node];
            } else {
                node = rights[node];
            }
        }
        return best;
    }

    private boolean isBefore(int extent, int other) {
        return sizes[extent] < sizes[other] || (sizes[extent] == sizes[other] && starts[extent] < starts[other]);
    }

    /** Where {@code key} belongs below {@code parent}, puts {@code child} there. */
    private void replaceChild(int parent, int key, int child) {
        if (parent == NONE) {
            root = child;
        } else if (isBefore(key, parent)) {
            lefts[parent] = child;
        } else {
            rights[parent] = child;
        }
    }

    /** Hangs what lies before {@code extent} in a subtree to its left and the rest to its right. */
    private void split(int subtree, int extent) {
        int before = NONE;
        int after = NONE;
        int node = subtree;
        while (node != NONE) {
            if (isBefore(node, extent)) {
                hangBefore(before, extent, node);
                before = node;
                node = rights[node];
            } else {
                hangAfter(after, extent, node);
                after = node;
                node = lefts[node];
            }
        }
        hangBefore(before, extent, NONE);
        hangAfter(after, extent, NONE);
    }

    private void hangBefore(int last, int extent, int node) {
        if (last == NONE) {
            lefts[extent] = node;
        } else {
            rights[last] = node;
        }
    }

    private void hangAfter(int last, int extent, int node) {
        if (last == NONE) {
            rights[extent] = node;
        } else {
            lefts[last] = node;
        }
    }

    private int merge(int before, int after) {
        if (before == NONE) {
            return after;
        }
        if (after == NONE) {
            return before;
        }
        if (priorities[before] >= priorities[after]) {
            rights[before] = merge(rights[before], after);
            return before;
        }
        lefts[after] = merge(before, lefts[after]);
        return after;
    }
}

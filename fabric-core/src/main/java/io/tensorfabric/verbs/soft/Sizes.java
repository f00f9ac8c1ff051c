package io.tensorfabric.verbs.soft;

/** Sizes of queues. */
final class Sizes {

    private Sizes() {}

    /** The next power of two, or the limit if that is less. */
    static int roundUp(int size, int limit) {
        int rounded = size <= 1 ? size : Integer.highestOneBit(size - 1) << 1;
        return rounded < size || rounded > limit ? limit : rounded;
    }
}

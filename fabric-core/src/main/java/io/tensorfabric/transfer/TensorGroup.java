package io.tensorfabric.transfer;

/**
 * Tensors of one sender that listeners hear of together, or not at all.
 *
 * @param id number of the group, of the same numbers as those of transfers
 * @param size how many tensors it has, at least 2
 */
public record TensorGroup(long id, int size) {

    /** Most tensors of a group. */
    public static final int MAX_SIZE = 65_535;

    public TensorGroup {
        if (size < 2 || size > MAX_SIZE) {
            throw new IllegalArgumentException("A group has 2 to " + MAX_SIZE + " tensors, not " + size);
        }
    }
}

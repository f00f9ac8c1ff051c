package io.tensorfabric.transfer;

/**
 * Names of tensors that a fabric answers by itself: no listener of an application sees them, whatever its pattern. The sender
 * needs the right to push all the same.
 */
public final class ReservedNames {

    /** Begins the names of tensors that try a path out; the receiver drops them when they have arrived whole. */
    public static final String PREFLIGHT = "fabric.preflight/";

    private ReservedNames() {}

    /** Whether a name is reserved. */
    public static boolean isReserved(String tensor) {
        return tensor.startsWith(PREFLIGHT);
    }
}

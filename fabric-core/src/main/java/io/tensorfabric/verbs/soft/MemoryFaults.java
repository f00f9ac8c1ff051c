package io.tensorfabric.verbs.soft;

import java.io.IOException;

/**
 * Recognises that registered memory is not there: it was freed, or is a mapped file that was truncated. Cards see to it
 * by pinning; a software device finds out when it copies.
 */
final class MemoryFaults {

    /** {@code strerror(EFAULT)}, which is all that the JDK tells. */
    private static final String BAD_ADDRESS = "Bad address";

    private MemoryFaults() {}

    /** Whether a system call was given memory that is not there. */
    static boolean isCause(IOException failure) {
        return BAD_ADDRESS.equals(failure.getMessage());
    }

    /** Whether the JVM ran into such memory, which it tells late and from any place in compiled code. */
    static boolean isCause(InternalError failure) {
        return String.valueOf(failure.getMessage()).contains("unsafe memory access");
    }
}

package io.tensorfabric.verbs;

import java.util.Set;

/**
 * Registered memory; see {@code ibv_reg_mr(3)}. Implementations never print their keys. Closing it with bound memory
 * windows fails with {@link Errno#EINVAL} or {@link Errno#EBUSY}.
 */
public interface MemoryRegion extends VerbsResource {

    /** Handle that a bind work request names, 0 for providers that find the region by its key. */
    default long handle() {
        return 0;
    }

    /** First byte. */
    long address();

    /** Bytes. */
    long length();

    /** Rights given at registration. */
    Set<AccessFlag> access();

    /** Key for local use, a bit pattern of 32 bits. */
    int lkey();

    /** Key for remote use, a bit pattern of 32 bits; secret. */
    int rkey();
}

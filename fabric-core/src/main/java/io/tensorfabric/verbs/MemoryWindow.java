package io.tensorfabric.verbs;

/**
 * A type-2 memory window; see {@code ibv_alloc_mw(3)} and {@code ibv_bind_mw(3)}. It is bound by a work request
 * ({@link Opcode#BIND_MW}) on the queue pair through which alone its key then works, and unbound by
 * {@link Opcode#LOCAL_INV} or by closing it.
 */
public interface MemoryWindow extends VerbsResource {

    /** Handle that a bind work request names; see {@link SendRequests#bindWindow}. */
    long handle();

    /**
     * The present key. A bind changes it to the key given in the work request, which must keep the upper 24 bits
     * ({@code ibv_inc_rkey(3)}: only the low byte belongs to the user).
     */
    int rkey();

    /** The key to give to the next bind: the present one with its low byte incremented, as {@code ibv_inc_rkey(3)}. */
    default int nextRkey() {
        int rkey = rkey();
        return (rkey & 0xffffff00) | ((rkey + 1) & 0xff);
    }
}

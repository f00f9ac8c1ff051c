package io.tensorfabric.connection;

/**
 * Memory that one peer may write to: a type-2 memory window per lane where the device enforces them, else a region of its
 * own. Closing it revokes the right; when {@code close()} has returned, the peer can no longer write. Idempotent.
 */
public interface RemoteGrant extends AutoCloseable {

    /** First byte, as the peer must address it. */
    long address();

    /** Bytes. */
    long length();

    /** The key for a lane, secret. */
    int rkey(int lane);

    @Override
    void close();
}

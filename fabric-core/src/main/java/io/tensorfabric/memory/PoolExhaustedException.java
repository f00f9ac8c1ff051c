package io.tensorfabric.memory;

import org.jspecify.annotations.Nullable;

/** A pool had no room for a buffer, within the time that the caller was ready to wait. */
public final class PoolExhaustedException extends RuntimeException {

    private final String pool;

    private final long requested;

    private final long largestFree;

    PoolExhaustedException(String message, String pool, long requested, long largestFree, @Nullable Throwable cause) {
        super(message, cause);
        this.pool = pool;
        this.requested = requested;
        this.largestFree = largestFree;
    }

    /** Name of the pool. */
    public String pool() {
        return pool;
    }

    /** Bytes that were asked for. */
    public long requested() {
        return requested;
    }

    /** Largest buffer in bytes that the pool could have given. */
    public long largestFree() {
        return largestFree;
    }
}

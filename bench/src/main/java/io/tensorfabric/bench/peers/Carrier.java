package io.tensorfabric.bench.peers;

import java.io.IOException;

/** A way to bring blocks of bytes from this process to the receiving one, each acknowledged by it. Not thread-safe. */
public interface Carrier extends AutoCloseable {

    /** Blocks of a size that are under way at once when bandwidth is measured, the same for all ways: 32 MiB, at most 128. */
    static int depth(long size) {
        return (int) Math.max(1, Math.min(128, (32L << 20) / size));
    }

    /** Short, without spaces. */
    String name();

    /**
     * Sends blocks of one size for some time, as many at once as suits this way.
     *
     * @return bytes a second
     */
    double bandwidth(long size, double seconds) throws Exception;

    /**
     * Sends blocks of one size for some time, each when the one before is acknowledged.
     *
     * @return microseconds of the median block
     */
    double latency(long size, double seconds) throws Exception;

    @Override
    void close() throws IOException;
}

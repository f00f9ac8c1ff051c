package io.tensorfabric.bench.chaos;

import java.io.IOException;

/** The way that data takes to one node, and what can happen to it. Used by one thread at a time. */
interface DataPath extends AutoCloseable {

    /** Lets a fault of the network begin; one that has no length is over with this call. */
    void begin(Fault.Kind kind) throws IOException, InterruptedException;

    /** Ends what {@link #begin} began. */
    void end(Fault.Kind kind) throws IOException, InterruptedException;

    /** Bytes that went to the node this way so far. */
    long bytes() throws IOException;

    /** What happened here, for people. */
    String summary() throws IOException;

    @Override
    void close() throws IOException;
}

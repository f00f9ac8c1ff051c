package io.tensorfabric.transfer;

import io.tensorfabric.tensor.TensorDescriptor;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** What peers have put into one published tensor, for its listener, one after the other in the order of arrival. Thread-safe. */
final class PutQueue {

    private static final String CLOSED =
            "the tensor is published no more; its bytes were written, and nobody heard of it";

    private final Engine engine;
    private final TensorDescriptor tensor;
    private final @Nullable PutListener listener;

    /** Guarded by this. */
    private final ArrayDeque<InboundPut> waiting = new ArrayDeque<>();

    private boolean running;
    private @Nullable InboundPut current;
    private boolean closed;

    PutQueue(Engine engine, TensorDescriptor tensor, @Nullable PutListener listener) {
        this.engine = engine;
        this.tensor = tensor;
        this.listener = listener;
    }

    /** Takes one in, or refuses it; on a poller thread. */
    void add(InboundPut put) {
        boolean late;
        boolean full;
        boolean start = false;
        synchronized (this) {
            late = closed;
            full = waiting.size() >= engine.options().listenerQueue();
            if (!late && !full) {
                waiting.add(put);
                start = !running;
                running = true;
            }
        }
        if (late) {
            put.refuse(RejectCode.REFUSED, CLOSED);
        } else if (full) {
            put.refuse(RejectCode.BUSY, "too many puts wait for the listener of '" + tensor.name() + "'");
        } else if (start) {
            start();
        }
    }

    private void start() {
        try {
            engine.puts().execute(this::work);
        } catch (RejectedExecutionException e) {
            close();
        }
    }

    private void work() {
        InboundPut put = next();
        while (put != null) {
            put.run(listener);
            put = next();
        }
    }

    private synchronized @Nullable InboundPut next() {
        InboundPut put = waiting.poll();
        current = put;
        if (put == null) {
            running = false;
        }
        return put;
    }

    /** Whether something of a link waits or is with the listener. */
    synchronized boolean holdsSomeOf(PeerLink link) {
        InboundPut now = current;
        return (now != null && now.link().equals(link))
                || waiting.stream().anyMatch(put -> put.link().equals(link));
    }

    /** Takes no more; what waits is refused. */
    void close() {
        ArrayDeque<InboundPut> left;
        synchronized (this) {
            closed = true;
            left = new ArrayDeque<>(waiting);
            waiting.clear();
        }
        left.forEach(put -> put.refuse(RejectCode.REFUSED, CLOSED));
    }

    @Override
    public String toString() {
        return "PutQueue[" + tensor.name() + "]";
    }
}

package io.tensorfabric.bench.peers;

import java.nio.ByteBuffer;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/** What both ends of {@link UcxCarrier} have: a context limited to some transports, a worker, and memory of UCX. */
final class UcxEnd implements AutoCloseable {

    private final UcpContext context;

    private final UcpWorker worker;

    /** @param transports as in the variable {@code UCX_TLS} */
    UcxEnd(String transports) {
        this.context = new UcpContext(
                new UcpParams().requestRmaFeature().requestWakeupFeature().setConfig("TLS", transports));
        this.worker = context.newWorker(new UcpWorkerParams().requestWakeupRMA());
    }

    UcpWorker worker() {
        return worker;
    }

    /** Memory that UCX allocates, so that it can share it with processes of this host. */
    UcpMemory allocate(long bytes) {
        return context.memoryMap(new UcpMemMapParams().allocate().setLength(bytes));
    }

    /** The bytes of a buffer. */
    static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    /** A direct buffer with those bytes. */
    static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    @Override
    public void close() {
        worker.close();
        context.close();
    }
}

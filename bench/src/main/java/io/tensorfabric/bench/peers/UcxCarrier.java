package io.tensorfabric.bench.peers;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;

/**
 * Puts of UCX into memory of the receiver, by JUCX: the counterpart of our push until its receipt PLACED, without what tells
 * the receiver of it. A block is acknowledged by a flush.
 */
final class UcxCarrier implements Carrier {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final String name;

    private final Socket socket;

    private final DataInputStream in;

    private final DataOutputStream out;

    private final UcxEnd end;

    private long size;

    private @Nullable UcpEndpoint endpoint;

    private @Nullable UcpMemory source;

    private @Nullable UcpRemoteKey key;

    private long target;

    private long completed;

    private @Nullable String failure;

    private final UcxCallback counting = new UcxCallback() {
        @Override
        public void onSuccess(UcpRequest request) {
            completed++;
        }

        @Override
        public void onError(int status, String text) {
            failure = text + " (" + status + ")";
        }
    };

    /** @param transports as in the variable {@code UCX_TLS} */
    UcxCarrier(String name, int port, String transports) throws IOException {
        this.name = name;
        this.end = new UcxEnd(transports);
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        this.in = new DataInputStream(socket.getInputStream());
        this.out = new DataOutputStream(socket.getOutputStream());
        out.writeUTF(transports);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double bandwidth(long bytes, double seconds) throws Exception {
        prepare(bytes);
        int depth = Carrier.depth(bytes);
        long start = System.nanoTime();
        long stop = start + (long) (seconds * 1e9);
        long first = completed;
        long blocks = 0;
        while (System.nanoTime() < stop) {
            put(blocks % depth);
            blocks++;
            progressUntil(first + blocks - depth + 1);
        }
        progressUntil(first + blocks);
        flush();
        return bytes * (double) blocks / ((System.nanoTime() - start) / 1e9);
    }

    @Override
    public double latency(long bytes, double seconds) throws Exception {
        prepare(bytes);
        Samples samples = new Samples();
        long stop = System.nanoTime() + (long) (seconds * 1e9);
        do {
            long before = System.nanoTime();
            put(0);
            flush();
            samples.add(System.nanoTime() - before);
        } while (System.nanoTime() < stop);
        return samples.micros(50);
    }

    /** Has the receiver allocate as many blocks as are under way at once. */
    private void prepare(long bytes) throws Exception {
        if (size == bytes) {
            return;
        }
        release();
        long all = bytes * Carrier.depth(bytes);
        out.writeLong(all);
        byte[] worker = read();
        target = in.readLong();
        byte[] rkey = read();
        UcpEndpoint made = end.worker().newEndpoint(new UcpEndpointParams().setUcpAddress(UcxEnd.direct(worker)));
        endpoint = made;
        key = made.unpackRemoteKey(UcxEnd.direct(rkey));
        source = end.allocate(bytes);
        size = bytes;
    }

    private byte[] read() throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }

    private void put(long slot) {
        UcpEndpoint to = endpoint;
        UcpMemory from = source;
        UcpRemoteKey with = key;
        if (to == null || from == null || with == null) {
            throw new IllegalStateException("UCX is not connected");
        }
        to.putNonBlocking(from.getAddress(), size, target + slot * size, with, counting);
    }

    private void flush() throws Exception {
        UcpEndpoint to = endpoint;
        if (to != null) {
            long wanted = completed + 1;
            to.flushNonBlocking(counting);
            progressUntil(Math.max(wanted, completed));
        }
    }

    private void progressUntil(long wanted) throws Exception {
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (completed < wanted) {
            end.worker().progress();
            if (failure != null) {
                throw new IOException("UCX failed: " + failure);
            }
            if (System.nanoTime() > giveUp) {
                throw new TimeoutException("UCX did not complete a block in time");
            }
        }
    }

    private void release() throws Exception {
        if (key != null) {
            key.close();
            key = null;
        }
        if (endpoint != null) {
            UcpRequest closing = endpoint.closeNonBlockingFlush();
            long giveUp = System.nanoTime() + PATIENCE_NANOS;
            while (!closing.isCompleted() && System.nanoTime() < giveUp) {
                end.worker().progress();
            }
            endpoint = null;
        }
        if (source != null) {
            source.close();
            source = null;
        }
        size = 0;
    }

    @Override
    public void close() throws IOException {
        try {
            release();
        } catch (Exception ex) {
            throw new IOException("UCX did not disconnect", ex);
        } finally {
            socket.close();
            end.close();
        }
    }
}

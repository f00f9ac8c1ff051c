package io.tensorfabric.bench.peers;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.ucp.UcpMemory;

/**
 * The receiving end of {@link UcxCarrier}: over a socket of its own each sender names its transports and how much memory it
 * wants, and is told where to put.
 */
final class UcxSink implements AutoCloseable {

    /** As our own pollers: spins for a moment, then sleeps until an event. */
    private static final long SPIN_NANOS = 20_000;

    private static final long END = -1;

    private final ServerSocket server;

    UcxSink() throws IOException {
        server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        start("bench-ucx-accept", this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                start("bench-ucx", () -> serve(socket));
            } catch (IOException ex) {
                return;
            }
        }
    }

    private static void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            try (UcxEnd end = new UcxEnd(in.readUTF())) {
                LinkedBlockingQueue<Long> wishes = new LinkedBlockingQueue<>();
                start("bench-ucx-wishes", () -> listen(in, end, wishes));
                work(end, wishes, out);
            }
        } catch (Exception | LinkageError ex) {
            System.err.println("bench: the receiver of UCX ended: " + ex);
        }
    }

    /** Passes on what the sender wants, and wakes the worker. */
    private static void listen(DataInputStream in, UcxEnd end, LinkedBlockingQueue<Long> wishes) {
        long wish = 0;
        while (wish != END) {
            try {
                wish = in.readLong();
            } catch (IOException ex) {
                wish = END;
            }
            wishes.add(wish);
            end.worker().signal();
        }
    }

    private static void work(UcxEnd end, LinkedBlockingQueue<Long> wishes, DataOutputStream out) throws Exception {
        UcpMemory memory = null;
        long idleSince = System.nanoTime();
        while (true) {
            if (end.worker().progress() > 0) {
                idleSince = System.nanoTime();
            } else if (!wishes.isEmpty()) {
                long wish = wishes.remove();
                close(memory);
                if (wish == END) {
                    return;
                }
                memory = end.allocate(wish);
                answer(end, memory, out);
            } else if (System.nanoTime() - idleSince > SPIN_NANOS) {
                end.worker().waitForEvents();
                idleSince = System.nanoTime();
            }
        }
    }

    private static void close(@Nullable UcpMemory memory) {
        if (memory != null) {
            memory.close();
        }
    }

    private static void answer(UcxEnd end, UcpMemory memory, DataOutputStream out) throws IOException {
        write(out, UcxEnd.bytes(end.worker().getAddress()));
        out.writeLong(memory.getAddress());
        write(out, UcxEnd.bytes(memory.getRemoteKeyBuffer()));
        out.flush();
    }

    private static void write(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}

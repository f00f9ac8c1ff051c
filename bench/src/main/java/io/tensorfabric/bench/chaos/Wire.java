package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Passes TCP connections on to a port of this machine, and disturbs them on request. Thread-safe. A connection takes two
 * threads, which end with it.
 */
final class Wire implements AutoCloseable {

    private static final int PIECE = 32 * 1024;

    private static final int CONNECT_MILLIS = 2000;

    private static final int BACKLOG = 256;

    private final ServerSocket listener;

    private final InetSocketAddress target;

    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private final AtomicLong connections = new AtomicLong();

    private final AtomicLong bytes = new AtomicLong();

    private final Object change = new Object();

    private boolean refusing;

    private boolean stalled;

    private int delayMillis;

    private volatile boolean closed;

    Wire(InetSocketAddress address, InetSocketAddress target) throws IOException {
        this.target = target;
        listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(address, BACKLOG);
        start("accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Connections that were taken so far. */
    long connections() {
        return connections.get();
    }

    /** Bytes that were passed on so far. */
    long bytes() {
        return bytes.get();
    }

    /** Breaks all connections, with a reset. */
    void cut() {
        sockets.forEach(this::reset);
    }

    /** From now on breaks all connections, or no longer. */
    void refuse(boolean value) {
        synchronized (change) {
            refusing = value;
        }
        if (value) {
            cut();
        }
    }

    /** From now on passes nothing on and loses nothing, or goes on. */
    void stall(boolean value) {
        synchronized (change) {
            stalled = value;
            change.notifyAll();
        }
    }

    /** Holds each piece for a time, 0 for none. */
    void delay(int millis) {
        synchronized (change) {
            delayMillis = millis;
        }
    }

    private void accept() {
        while (!closed) {
            try {
                Socket from = listener.accept();
                sockets.add(from);
                connections.incrementAndGet();
                start("connect", () -> connect(from));
            } catch (IOException ex) {
                if (!closed) {
                    throw new IllegalStateException("The wire to " + target + " can take no more connections", ex);
                }
            }
        }
    }

    private void connect(Socket from) {
        Socket to = new Socket();
        sockets.add(to);
        try {
            if (isRefusing()) {
                throw new IOException("refused");
            }
            to.connect(target, CONNECT_MILLIS);
            from.setTcpNoDelay(true);
            to.setTcpNoDelay(true);
            start("back", () -> pass(to, from));
        } catch (IOException ex) {
            drop(from, to);
            return;
        }
        pass(from, to);
    }

    private boolean isRefusing() {
        synchronized (change) {
            return refusing || closed;
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] piece = new byte[PIECE];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                hold();
                out.write(piece, 0, read);
                bytes.addAndGet(read);
            }
            to.shutdownOutput();
            if (from.isOutputShutdown()) {
                // Both ends have said all: a reset could overtake the last of it.
                close(from);
                close(to);
            }
        } catch (IOException ex) {
            drop(from, to);
        } catch (InterruptedException ex) {
            drop(from, to);
            Thread.currentThread().interrupt();
        }
    }

    private void hold() throws InterruptedException {
        int millis;
        synchronized (change) {
            while (stalled && !closed) {
                change.wait();
            }
            millis = delayMillis;
        }
        if (millis > 0) {
            Thread.sleep(millis);
        }
    }

    private void drop(Socket from, Socket to) {
        reset(from);
        reset(to);
    }

    private void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException ex) {
            // It is closed already.
        }
        close(socket);
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException ex) {
            // Nothing more can be done with it.
        }
    }

    private static void start(String what, Runnable work) {
        Thread thread = new Thread(work, "chaos-wire-" + what);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        cut();
        stall(false);
    }

    static InetSocketAddress loopback(String address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(address), port);
        } catch (IOException ex) {
            throw new IllegalArgumentException("Not an address: " + address, ex);
        }
    }
}

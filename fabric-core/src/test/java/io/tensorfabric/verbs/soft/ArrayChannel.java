package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Set;

/** A connection in memory: reads come from an array, a piece at a time, and what is written is counted and dropped. */
final class ArrayChannel extends SocketChannel {

    private final ByteBuffer in;

    private final int piece;

    private long written;

    /** @param piece most bytes that one read gives */
    ArrayChannel(ByteBuffer in, int piece) {
        super(null);
        this.in = in;
        this.piece = piece;
    }

    boolean isExhausted() {
        return !in.hasRemaining();
    }

    long written() {
        return written;
    }

    @Override
    public int read(ByteBuffer target) {
        return (int) read(new ByteBuffer[] {target}, 0, 1);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        if (!in.hasRemaining()) {
            return 0;
        }
        int left = piece;
        for (int i = offset; i < offset + length && left > 0; i++) {
            int part = Math.min(left, Math.min(in.remaining(), targets[i].remaining()));
            targets[i].put(in.slice(in.position(), part));
            in.position(in.position() + part);
            left -= part;
        }
        return piece - left;
    }

    @Override
    public int write(ByteBuffer source) {
        return (int) write(new ByteBuffer[] {source}, 0, 1);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        long count = 0;
        for (int i = offset; i < offset + length; i++) {
            count += sources[i].remaining();
            sources[i].position(sources[i].limit());
        }
        written += count;
        return count;
    }

    @Override
    public SocketChannel bind(SocketAddress local) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public SocketChannel shutdownInput() {
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() {
        return this;
    }

    @Override
    public Socket socket() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isConnectionPending() {
        return false;
    }

    @Override
    public boolean connect(SocketAddress remote) {
        return true;
    }

    @Override
    public boolean finishConnect() {
        return true;
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        return null;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return null;
    }

    @Override
    protected void implCloseSelectableChannel() {}

    @Override
    protected void implConfigureBlocking(boolean block) {}
}

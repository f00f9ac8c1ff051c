package io.tensorfabric.bench.peers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A plain blocking socket channel: a length, then the bytes from direct memory. */
final class NioCarrier extends Windowed {

    private final SocketChannel channel;

    private final ByteBuffer header = ByteBuffer.allocateDirect(Long.BYTES);

    private final ByteBuffer acknowledgement = ByteBuffer.allocateDirect(1);

    private ByteBuffer block = ByteBuffer.allocateDirect(0);

    NioCarrier(int port) throws IOException {
        channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    @Override
    public String name() {
        return "nio";
    }

    @Override
    void send(long size) throws IOException {
        if (block.capacity() != size) {
            block = ByteBuffer.allocateDirect(Math.toIntExact(size));
        }
        header.clear().putLong(size).flip();
        ByteBuffer[] both = {header, block.clear()};
        while (block.hasRemaining()) {
            channel.write(both);
        }
    }

    @Override
    void awaitOne() throws IOException {
        if (channel.read(acknowledgement.clear()) < 0) {
            throw new EOFException("The receiver has closed the socket");
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

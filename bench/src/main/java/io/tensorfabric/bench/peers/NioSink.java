package io.tensorfabric.bench.peers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The receiving end of {@link NioCarrier}: reads into direct memory, and acknowledges each block by a byte. */
final class NioSink implements AutoCloseable {

    private final ServerSocketChannel server;

    NioSink() throws IOException {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        start("bench-nio-accept", this::accept);
    }

    int port() throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel channel = server.accept();
                start("bench-nio", () -> serve(channel));
            } catch (IOException ex) {
                return;
            }
        }
    }

    private static void serve(SocketChannel channel) {
        ByteBuffer header = ByteBuffer.allocateDirect(Long.BYTES);
        ByteBuffer acknowledgement = ByteBuffer.allocateDirect(1);
        ByteBuffer block = ByteBuffer.allocateDirect(0);
        try (channel) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            while (fill(channel, header.clear())) {
                int size = Math.toIntExact(header.flip().getLong());
                if (block.capacity() != size) {
                    block = ByteBuffer.allocateDirect(size);
                }
                if (!fill(channel, block.clear())) {
                    return;
                }
                channel.write(acknowledgement.clear());
            }
        } catch (IOException ex) {
            System.err.println("bench: the socket ended: " + ex.getMessage());
        }
    }

    private static boolean fill(SocketChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}

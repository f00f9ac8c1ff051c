package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens for peers. At most so many connections are in their handshake at once; the oldest give way. */
final class Acceptor implements IoLoop.Handler {

    private static final Logger log = LoggerFactory.getLogger(Acceptor.class);

    private static final int MAX_PENDING = 256;

    private static final int BACKLOG = 1024;

    private final Engine engine;

    private final ServerSocketChannel listener;

    private final Set<ResponderLink> pending = new LinkedHashSet<>();

    Acceptor(Engine engine, SoftDeviceOptions options) {
        this.engine = engine;
        try {
            this.listener = ServerSocketChannel.open();
        } catch (IOException ex) {
            throw failed(options, ex);
        }
        try {
            listener.configureBlocking(false);
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listener.bind(new InetSocketAddress(options.bindAddress(), options.port()), BACKLOG);
        } catch (IOException ex) {
            close();
            throw failed(options, ex);
        }
    }

    private static VerbsException failed(SoftDeviceOptions options, IOException ex) {
        VerbsException failure = new VerbsException(
                "ibv_open_device",
                Errno.EADDRNOTAVAIL,
                options.name() + " cannot listen on " + options.bindAddress() + " port " + options.port() + ": "
                        + ex.getMessage());
        failure.initCause(ex);
        return failure;
    }

    int port() {
        return listener.socket().getLocalPort();
    }

    void register(IoLoop loop) {
        try {
            listener.register(loop.selector(), SelectionKey.OP_ACCEPT, this);
        } catch (IOException ex) {
            throw new IllegalStateException("The listener was closed while the device was opened", ex);
        }
    }

    @Override
    public void ready(int operations) throws IOException {
        SocketChannel channel = listener.accept();
        while (channel != null) {
            admit(channel);
            channel = listener.accept();
        }
    }

    private void admit(SocketChannel channel) throws IOException {
        IoLoop loop = engine.nextLoop();
        ResponderLink link;
        try {
            link = new ResponderLink(loop, channel, engine, this);
        } catch (IOException ex) {
            channel.close();
            return;
        }
        ResponderLink oldest = null;
        synchronized (pending) {
            pending.add(link);
            if (pending.size() > MAX_PENDING) {
                oldest = pending.iterator().next();
                pending.remove(oldest);
            }
        }
        if (oldest != null) {
            log.debug("More than {} handshakes at once: the oldest is closed", MAX_PENDING);
            oldest.close();
        }
        loop.execute(link::start);
    }

    /** A handshake ended, well or not. */
    void settled(ResponderLink link) {
        synchronized (pending) {
            pending.remove(link);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException ex) {
            log.warn("Closing the listener failed", ex);
        }
    }
}

package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens for peers. At most so many connections are in their handshake at once; the oldest give way. */
final class Acceptor implements IoLoop.Handler {

    private static final Logger log = LoggerFactory.getLogger(Acceptor.class);

    private static final int MAX_PENDING = 256;

    private static final int BACKLOG = 1024;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Engine engine;

    private final ServerSocketChannel listener;

    private @Nullable IoLoop home;

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
        home = loop;
        try {
            listener.register(loop.selector(), SelectionKey.OP_ACCEPT, this);
        } catch (IOException ex) {
            throw new IllegalStateException("The listener was closed while the device was opened", ex);
        }
    }

    @Override
    public void ready(int operations) {
        try {
            SocketChannel channel = listener.accept();
            while (channel != null) {
                admit(channel);
                channel = listener.accept();
            }
        } catch (ClosedChannelException ex) {
            log.debug("The listener was closed");
        } catch (IOException ex) {
            // Mostly too many open files. The connection stays in the backlog, and would call again at once.
            log.warn("Connections cannot be accepted for the moment: {}", ex.toString());
            pause();
        }
    }

    private void pause() {
        IoLoop loop = home;
        SelectionKey key = loop == null ? null : listener.keyFor(loop.selector());
        if (loop == null || key == null) {
            return;
        }
        key.interestOps(0);
        loop.schedule(System.nanoTime() + PAUSE_NANOS, () -> {
            if (key.isValid()) {
                key.interestOps(SelectionKey.OP_ACCEPT);
            }
        });
    }

    private void admit(SocketChannel channel) throws IOException {
        IoLoop loop = engine.nextReceiver();
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

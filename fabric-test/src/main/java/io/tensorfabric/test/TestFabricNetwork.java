package io.tensorfabric.test;

import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.EstablishedRequest;
import io.tensorfabric.connection.EstablishedResponse;
import io.tensorfabric.connection.NegotiationClient;
import io.tensorfabric.connection.NegotiationHandler;
import io.tensorfabric.connection.NodeDescription;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.PeerDirectory;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.connection.ZoneRequest;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Stands for REST between an application and its test peers: calls the other end's handler. Thread-safe. */
final class TestFabricNetwork {

    /** Name and node id of the application. */
    static final String APPLICATION = "application";

    private final List<String> peers;

    private final Supplier<NegotiationHandler> application;

    private final Map<String, NegotiationHandler> attached = new ConcurrentHashMap<>();

    private final Set<String> unreachable = ConcurrentHashMap.newKeySet();

    TestFabricNetwork(List<String> peers, Supplier<NegotiationHandler> application) {
        this.peers = List.copyOf(peers);
        this.application = application;
    }

    void attach(String peer, NegotiationHandler handler) {
        attached.put(peer, handler);
    }

    void detach(String peer) {
        attached.remove(peer);
    }

    /** Lets a peer neither call nor be called. */
    void unreachable(String peer, boolean value) {
        if (value) {
            unreachable.add(peer);
        } else {
            unreachable.remove(peer);
        }
    }

    PeerDirectory peersOfTheApplication() {
        return new Directory(peers);
    }

    PeerDirectory peersOfAPeer() {
        return new Directory(List.of(APPLICATION));
    }

    NegotiationClient client(String from) {
        return new Client(from);
    }

    private NegotiationHandler handler(String from, String to) {
        NegotiationHandler handler = to.equals(APPLICATION) ? application.get() : attached.get(to);
        if (handler == null || unreachable.contains(from) || unreachable.contains(to)) {
            throw new ConnectionException(
                    ConnectionException.Kind.UNREACHABLE, to, "Test peer '" + to + "' cannot be reached");
        }
        return handler;
    }

    private record Directory(List<String> names) implements PeerDirectory {

        @Override
        public @Nullable Peer find(String name) {
            return names.contains(name) ? peer(name) : null;
        }

        @Override
        public List<Peer> peers() {
            return names.stream().map(Directory::peer).toList();
        }

        private static Peer peer(String name) {
            // Nothing is called under it, but it looks like this machine, which it is.
            return new Peer(name, URI.create("http://localhost"), name);
        }
    }

    private final class Client implements NegotiationClient {

        private final String from;

        Client(String from) {
            this.from = from;
        }

        private <T> T call(Peer peer, Function<NegotiationHandler, T> action) {
            return action.apply(handler(from, peer.name()));
        }

        @Override
        public NodeDescription node(Peer peer, Duration timeout) {
            return call(peer, NegotiationHandler::node);
        }

        @Override
        public ConnectResponse connect(Peer peer, ConnectRequest request, Duration timeout) {
            return call(peer, handler -> handler.connect(request));
        }

        @Override
        public EstablishedResponse established(
                Peer peer, String connectionId, EstablishedRequest request, Duration timeout) {
            return call(peer, handler -> handler.established(connectionId, request));
        }

        @Override
        public ZoneGrant openZone(Peer peer, String connectionId, ZoneRequest request, Duration timeout) {
            return call(peer, handler -> handler.openZone(connectionId, request));
        }

        @Override
        public void close(Peer peer, String connectionId, Duration timeout) {
            handler(from, peer.name()).close(connectionId, from);
        }
    }
}

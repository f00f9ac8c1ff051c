package io.tensorfabric.testing;

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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Stands for REST between nodes of one test: calls the other node's handler on the caller's thread. Hooks may delay a call
 * or its answer, or throw a {@link ConnectionException} to lose it. Thread-safe.
 */
public final class LocalNetwork {

    /** A call of the negotiation. */
    public enum Call {
        NODE,
        CONNECT,
        ESTABLISHED,
        OPEN_ZONE,
        CLOSE
    }

    /** Interferes with calls. */
    public interface Hook {

        /** Before the called node sees it. */
        default void request(Call call, String from, String to) {}

        /** After the called node has answered, before the caller sees it. */
        default void response(Call call, String from, String to) {}
    }

    private final Map<String, NegotiationHandler> nodes = new ConcurrentHashMap<>();

    private final Map<String, String> aliases = new ConcurrentHashMap<>();

    private final Set<String> silent = ConcurrentHashMap.newKeySet();

    private final Map<Call, AtomicInteger> calls = new ConcurrentHashMap<>();

    private volatile Hook hook = new Hook() {};

    /** Makes a node reachable under a name. */
    public void attach(String name, NegotiationHandler handler) {
        silent.remove(name);
        nodes.put(name, handler);
    }

    /** Makes a node unreachable. */
    public void detach(String name) {
        nodes.remove(name);
    }

    /** Makes a node unreachable, and unable to call others. */
    public void cutOff(String name) {
        silent.add(name);
        detach(name);
    }

    /** Another configured name for a node. */
    public void alias(String alias, String name) {
        aliases.put(alias, name);
    }

    /** Interferes from now on. */
    public void setHook(Hook value) {
        hook = value;
    }

    /** How often a call has reached a node. */
    public int count(Call call) {
        return calls.computeIfAbsent(call, key -> new AtomicInteger()).get();
    }

    /** The calls of a node. */
    public NegotiationClient client(String from) {
        return new Client(from);
    }

    /** All nodes, attached or not, by their names and aliases. */
    public PeerDirectory directory(String... names) {
        return new PeerDirectory() {
            @Override
            public @Nullable Peer find(String name) {
                return aliases.containsKey(name) || List.of(names).contains(name) ? peer(name) : null;
            }

            @Override
            public List<Peer> peers() {
                return List.of(names).stream().map(LocalNetwork::peer).toList();
            }
        };
    }

    private static Peer peer(String name) {
        return new Peer(name, URI.create("local://" + name));
    }

    private final class Client implements NegotiationClient {

        private final String from;

        Client(String from) {
            this.from = from;
        }

        private <T> T call(Call call, Peer peer, Function<NegotiationHandler, T> action) {
            String to = aliases.getOrDefault(peer.name(), peer.name());
            hook.request(call, from, to);
            NegotiationHandler handler = silent.contains(from) ? null : nodes.get(to);
            if (handler == null) {
                throw new ConnectionException(
                        ConnectionException.Kind.UNREACHABLE, to, "Nothing listens at " + peer.uri());
            }
            calls.computeIfAbsent(call, key -> new AtomicInteger()).incrementAndGet();
            T result = action.apply(handler);
            hook.response(call, from, to);
            return result;
        }

        @Override
        public NodeDescription node(Peer peer, Duration timeout) {
            return call(Call.NODE, peer, NegotiationHandler::node);
        }

        @Override
        public ConnectResponse connect(Peer peer, ConnectRequest request, Duration timeout) {
            return call(Call.CONNECT, peer, handler -> handler.connect(request));
        }

        @Override
        public EstablishedResponse established(
                Peer peer, String connectionId, EstablishedRequest request, Duration timeout) {
            return call(Call.ESTABLISHED, peer, handler -> handler.established(connectionId, request));
        }

        @Override
        public ZoneGrant openZone(Peer peer, String connectionId, ZoneRequest request, Duration timeout) {
            return call(Call.OPEN_ZONE, peer, handler -> handler.openZone(connectionId, request));
        }

        @Override
        public void close(Peer peer, String connectionId, Duration timeout) {
            call(Call.CLOSE, peer, handler -> {
                handler.close(connectionId, from);
                return connectionId;
            });
        }
    }
}

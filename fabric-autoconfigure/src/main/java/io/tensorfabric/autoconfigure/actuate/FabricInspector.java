package io.tensorfabric.autoconfigure.actuate;

import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.FabricNode;
import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.autoconfigure.discovery.PeerSources;
import io.tensorfabric.connection.CompletionQueueStatus;
import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionState;
import io.tensorfabric.connection.EndedConnection;
import io.tensorfabric.connection.NegotiationFailure;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.PeerDirectory;
import io.tensorfabric.connection.PeerStatus;
import io.tensorfabric.connection.QueuePairStatus;
import io.tensorfabric.memory.MemoryPoolStatistics;
import io.tensorfabric.transfer.PeerResilience;
import io.tensorfabric.transfer.TransferStatistics;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks at the running fabric and makes views of it. Thread-safe. */
final class FabricInspector {

    private static final TransferStatistics NO_TRANSFERS =
            new TransferStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private final FabricLifecycle lifecycle;

    private final FabricProperties properties;

    private final PeerDirectory directory;

    private final PeerSources sources;

    FabricInspector(
            FabricLifecycle lifecycle, FabricProperties properties, PeerDirectory directory, PeerSources sources) {
        this.lifecycle = lifecycle;
        this.properties = properties;
        this.directory = directory;
        this.sources = sources;
    }

    FabricViews.Overview overview() {
        FabricNode node = lifecycle.node();
        if (node == null) {
            return new FabricViews.Overview(
                    false,
                    null,
                    null,
                    null,
                    null,
                    null,
                    negotiation(),
                    List.of(),
                    Map.of(),
                    null,
                    List.of("The fabric is not running"));
        }
        return new FabricViews.Overview(
                true,
                node.connections().identity().nodeId(),
                node.connections().identity().incarnation(),
                new FabricViews.Provider(node.providerName(), node.providerReason(), node.providerIsFallback()),
                DeviceView.of(node),
                GpuView.of(node.gpus(), node.transfers()),
                negotiation(),
                peers().peers(),
                connectionCounts(node),
                node.transfers().statistics(),
                node.warnings());
    }

    private FabricViews.Negotiation negotiation() {
        FabricProperties.Security security = properties.security();
        return new FabricViews.Negotiation(
                properties.negotiation().path(),
                authentication(security),
                security.allowedPeers().size(),
                security.allowPlaintext(),
                properties.negotiation().ssl().bundle());
    }

    private static String authentication(FabricProperties.Security security) {
        if (security.sharedSecret() == null) {
            return security.mutualTls() ? "mutual TLS" : "none, so this machine only";
        }
        return security.mutualTls() ? "shared secret and mutual TLS" : "shared secret";
    }

    private static Map<ConnectionState, Long> connectionCounts(FabricNode node) {
        Map<ConnectionState, Long> counts = new EnumMap<>(ConnectionState.class);
        node.connections().connections().forEach(connection -> counts.merge(connection.state(), 1L, Long::sum));
        return counts;
    }

    FabricViews.Devices devices() {
        FabricNode node = lifecycle.node();
        return new FabricViews.Devices(node == null ? List.of() : List.of(DeviceView.of(node)));
    }

    FabricViews.Peers peers() {
        FabricNode node = lifecycle.node();
        return new FabricViews.Peers(
                node == null
                        ? List.of()
                        : node.connections().peers().stream()
                                .map(status -> peer(status, node.transfers().resilience()))
                                .toList());
    }

    private FabricViews.PeerView peer(PeerStatus status, PeerResilience resilience) {
        Peer configured = directory.find(status.peerName());
        return new FabricViews.PeerView(
                status.peerName(),
                configured == null ? null : configured.uri().toString(),
                status.nodeId(),
                status.state(),
                status.connectionId(),
                status.since(),
                status.attempts(),
                status.failures(),
                status.lastFailure(),
                status.nextAttempt(),
                resilience.status(status.peerName()));
    }

    FabricViews.Pools pools() {
        FabricNode node = lifecycle.node();
        return new FabricViews.Pools(
                node == null
                        ? List.of()
                        : node.pools().stream()
                                .map(pool -> pool(pool.pages(), pool.statistics()))
                                .toList());
    }

    private static FabricViews.Pool pool(String pages, MemoryPoolStatistics pool) {
        return new FabricViews.Pool(
                pool.name(),
                pool.kind().toString(),
                pages,
                pool.capacity(),
                pool.registered(),
                pool.inUse(),
                pool.peak(),
                pool.free(),
                pool.largestFree(),
                pool.fragmentation(),
                pool.slabs(),
                pool.leases(),
                pool.waits(),
                pool.failures());
    }

    FabricViews.Transfers transfers() {
        FabricNode node = lifecycle.node();
        return node == null
                ? new FabricViews.Transfers(NO_TRANSFERS, List.of())
                : new FabricViews.Transfers(
                        node.transfers().statistics(), node.transfers().transfers());
    }

    FabricViews.QueuePairs queuePairs() {
        FabricNode node = lifecycle.node();
        if (node == null) {
            return new FabricViews.QueuePairs(List.of(), List.of(), List.of());
        }
        return new FabricViews.QueuePairs(
                node.connections().connections().stream()
                        .map(FabricInspector::connection)
                        .toList(),
                node.connections().endedConnections().stream()
                        .map(FabricInspector::ended)
                        .toList(),
                node.connections().negotiationFailures().stream()
                        .map(FabricInspector::failure)
                        .toList());
    }

    private static FabricViews.ConnectionView connection(Connection connection) {
        ConnectionException failure = connection.failure();
        return new FabricViews.ConnectionView(
                connection.id(),
                connection.peerName(),
                connection.peer().nodeId(),
                connection.state(),
                connection.mtu(),
                new TreeSet<>(connection.rights()),
                failure == null ? null : failure.getMessage(),
                connection.queuePairs().stream().map(FabricInspector::lane).toList());
    }

    private static FabricViews.EndedConnectionView ended(EndedConnection ended) {
        return new FabricViews.EndedConnectionView(
                ended.id(),
                ended.peerName(),
                ended.peerNodeId(),
                ended.initiator(),
                ended.wasUp(),
                ended.ended(),
                ended.failure(),
                ended.queuePairs().stream().map(FabricInspector::lane).toList());
    }

    private static FabricViews.Lane lane(QueuePairStatus status) {
        return new FabricViews.Lane(
                status.lane(),
                status.purpose(),
                hex(status.number()),
                status.state().name(),
                status.peerNumber() == null ? null : hex(status.peerNumber()),
                status.peerState() == null ? null : status.peerState().name(),
                status.since(),
                status.reason(),
                status.history(),
                status.peerHistory());
    }

    /** As ibv_devinfo and perftest print queue pair numbers. */
    private static String hex(int number) {
        return "0x%06x".formatted(number);
    }

    private static FabricViews.FailedNegotiation failure(NegotiationFailure failure) {
        return new FabricViews.FailedNegotiation(
                failure.time(),
                failure.peer(),
                failure.connectionId(),
                failure.step(),
                failure.errno() == null ? null : failure.errno().name(),
                failure.device(),
                failure.port(),
                failure.gidIndex(),
                failure.message());
    }

    FabricViews.CompletionQueues completionQueues() {
        FabricNode node = lifecycle.node();
        return new FabricViews.CompletionQueues(
                node == null
                        ? List.of()
                        : node.device().completionQueues().stream()
                                .map(FabricInspector::completionQueue)
                                .toList());
    }

    private static FabricViews.CompletionQueueView completionQueue(CompletionQueueStatus queue) {
        Map<String, Long> completions = new TreeMap<>();
        List<FabricViews.CompletionError> errors = new ArrayList<>();
        queue.completions().forEach((status, count) -> {
            completions.put(status.name(), count);
            if (status != WorkCompletionStatus.SUCCESS) {
                errors.add(new FabricViews.CompletionError(status.name(), count, status.cause(), status.remedy()));
            }
        });
        return new FabricViews.CompletionQueueView(
                queue.name(),
                queue.capacity(),
                queue.outstanding(),
                queue.peakOutstanding(),
                queue.broken(),
                completions,
                errors);
    }

    /** How cards and GPUs hang together, {@code null} while the fabric does not run. */
    private @Nullable TopologyView topology() {
        FabricNode node = lifecycle.node();
        return node == null ? null : TopologyView.of(node);
    }

    /** A section by name, or {@code null} if there is none of that name. */
    @Nullable Object section(String name) {
        return switch (name) {
            case "devices" -> devices();
            case "peers" -> peers();
            case "discovery" -> new FabricViews.Discovery(sources.statuses());
            case "pools" -> pools();
            case "transfers" -> transfers();
            case "topology" -> topology();
            case "queue-pairs" -> queuePairs();
            case "completion-queues" -> completionQueues();
            default -> null;
        };
    }
}

package io.tensorfabric.autoconfigure.actuate;

import io.tensorfabric.autoconfigure.discovery.PeerSourceStatus;
import io.tensorfabric.connection.ConnectionState;
import io.tensorfabric.connection.LanePurpose;
import io.tensorfabric.connection.PeerRight;
import io.tensorfabric.connection.PeerState;
import io.tensorfabric.connection.QueuePairTransition;
import io.tensorfabric.memory.cuda.GpuPath;
import io.tensorfabric.transfer.CudaIpcStatus;
import io.tensorfabric.transfer.PeerResilience;
import io.tensorfabric.transfer.TransferStatistics;
import io.tensorfabric.transfer.TransferStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the endpoints answer. Only what is named here leaves the process. */
final class FabricViews {

    private FabricViews() {}

    /**
     * The overview.
     *
     * @param running whether the fabric runs; all else is absent when not
     */
    record Overview(
            boolean running,
            @Nullable String nodeId,
            @Nullable String incarnation,
            @Nullable Provider provider,
            @Nullable Device device,
            @Nullable Gpus gpu,
            Negotiation negotiation,
            List<PeerView> peers,
            Map<ConnectionState, Long> connections,
            @Nullable TransferStatistics transfers,
            List<String> warnings) {}

    /** Who knows peers besides the properties, and what they answered. */
    record Discovery(List<PeerSourceStatus> sources) {}

    /** The provider of the device, and why it is this one. */
    record Provider(String name, String reason, boolean fallback) {}

    /**
     * The GPUs in use, or why there is none; where tensors land.
     *
     * @param cudaIpc whether tensors of each GPU reach the GPU of each connected peer by CUDA IPC, and why
     * @param cudaIpcWaiting bytes that processes of ended connections may still have open
     */
    record Gpus(
            @Nullable String unavailable,
            String landing,
            List<Gpu> devices,
            List<CudaIpc> cudaIpc,
            long cudaIpcWaiting) {}

    /** Whether tensors of a GPU of this node reach the GPU of a peer by CUDA IPC. */
    record CudaIpc(String peer, String memoryKind, CudaIpcStatus.State state, String reason) {}

    /** A GPU, and how data moves between it and the device. */
    record Gpu(
            String memoryKind,
            String name,
            String uuid,
            String pciAddress,
            String computeCapability,
            long memory,
            GpuPath.Kind path,
            String reason,
            boolean landsDirectly,
            int registrations,
            long registrationHits,
            long registrationMisses) {}

    /**
     * The device in use.
     *
     * @param counters counters of its port, of all processes, data in bytes; those that it does not keep are absent
     */
    record Device(
            String name,
            String provider,
            String firmware,
            int port,
            @Nullable String portState,
            @Nullable String linkLayer,
            int activeMtu,
            int lid,
            @Nullable GidChoice gid,
            String memoryWindows,
            String relaxedOrdering,
            Map<String, Long> counters,
            @Nullable String failure) {}

    /** The GID in use, and the reasons for it and against the others. */
    record GidChoice(int index, String gid, String type, String explanation, List<GidCandidate> candidates) {}

    /** An entry of the GID table. */
    record GidCandidate(int index, String gid, String type, String networkDevice, boolean chosen, String reason) {}

    /** How the negotiation is protected. */
    record Negotiation(
            String path,
            String authentication,
            int allowedPeers,
            boolean plaintextAllowed,
            @Nullable String sslBundle) {}

    /** A peer. */
    record PeerView(
            String name,
            @Nullable String url,
            @Nullable String nodeId,
            PeerState state,
            @Nullable String connectionId,
            Instant since,
            long attempts,
            int failures,
            @Nullable String lastFailure,
            @Nullable Instant nextAttempt,
            PeerResilience.@Nullable Status pushes) {}

    /** The peers. */
    record Peers(List<PeerView> peers) {}

    /** The devices in use. */
    record Devices(List<Device> devices) {}

    /**
     * A pool; sizes in bytes.
     *
     * @param pages what pages its memory is made of, and why
     */
    record Pool(
            String name,
            String memoryKind,
            String pages,
            long capacity,
            long registered,
            long inUse,
            long peak,
            long free,
            long largestFree,
            double fragmentation,
            int slabs,
            int leases,
            long waits,
            long failures) {}

    /** The pools. */
    record Pools(List<Pool> pools) {}

    /** Transfers in flight and the latest ended ones. */
    record Transfers(TransferStatistics statistics, List<TransferStatus> transfers) {}

    /** A lane: the queue pairs of both ends. */
    record Lane(
            int lane,
            LanePurpose purpose,
            String number,
            String state,
            @Nullable String peerNumber,
            @Nullable String peerState,
            Instant since,
            String reason,
            List<QueuePairTransition> history,
            List<QueuePairTransition> peerHistory) {}

    /** A connection with its lanes. */
    record ConnectionView(
            String id,
            String peer,
            String peerNodeId,
            ConnectionState state,
            int mtu,
            Set<PeerRight> rights,
            @Nullable String failure,
            List<Lane> lanes) {}

    /** A negotiation that failed. */
    record FailedNegotiation(
            Instant time,
            String peer,
            @Nullable String connectionId,
            String step,
            @Nullable String errno,
            String device,
            int port,
            int gidIndex,
            String message) {}

    /** A connection that ended, with the states that its queue pairs went through. */
    record EndedConnectionView(
            String id,
            String peer,
            String peerNodeId,
            boolean initiator,
            boolean wasUp,
            Instant ended,
            @Nullable String failure,
            List<Lane> lanes) {}

    /** All queue pairs. */
    record QueuePairs(
            List<ConnectionView> connections,
            List<EndedConnectionView> endedConnections,
            List<FailedNegotiation> failedNegotiations) {}

    /** A completion queue. */
    record CompletionQueueView(
            String name,
            int capacity,
            int outstanding,
            int peakOutstanding,
            boolean broken,
            Map<String, Long> completions,
            List<CompletionError> errors) {}

    /** A status other than SUCCESS that came, with its meaning. */
    record CompletionError(String status, long count, String cause, String remedy) {}

    /** All completion queues. */
    record CompletionQueues(List<CompletionQueueView> completionQueues) {}
}

package io.tensorfabric.autoconfigure;

import io.tensorfabric.transfer.TransferOptions;
import io.tensorfabric.transfer.WhenFull;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;

/**
 * How tensors are pushed.
 *
 * @param deadline Deadline of a push that names none.
 * @param chunkSize Length of one RDMA WRITE of a large tensor.
 * @param chunksPerTransmission Writes that are posted with one doorbell.
 * @param transmissionsPerLane Posted and unfinished transmissions of large tensors on a lane.
 * @param maxQueued Most pushes to a peer that wait because too many are under way.
 * @param whenFull What a push does when a limit is reached.
 * @param smallThreshold Longest tensor that takes the control lane, and is copied when its memory is not registered.
 * @param stripeThreshold Shortest tensor that is spread over all bulk lanes of its connection, where there are several.
 * @param maxTensorSize Longest tensor, sent or received.
 * @param maxHeadersSize Longest headers of a push, keys and values together.
 * @param dedupeWindow Latest transfers of each sender that are remembered, so that a retried one is delivered once.
 * @param history Ended transfers that Actuator shows.
 * @param listenerThreads Threads that run listeners, for all peers together.
 * @param listenerThreadsPerPeer Most of them that tensors of one peer may have at once.
 * @param listenerQueue Tensors of one peer that may wait for a listener thread.
 * @param callbackThreads Threads that complete futures.
 * @param deviceGrace How long the device may hold the memory of an expired push before its connection is given up.
 */
public record TransferProperties(
        @DefaultValue("30s") @DurationUnit(ChronoUnit.SECONDS)
        Duration deadline,

        @DefaultValue("1MB") DataSize chunkSize,
        @DefaultValue("4") int chunksPerTransmission,
        @DefaultValue("4") int transmissionsPerLane,
        @DefaultValue("16384") int maxQueued,
        @DefaultValue("wait") WhenFull whenFull,
        @DefaultValue("64KB") DataSize smallThreshold,
        @DefaultValue("4MB") DataSize stripeThreshold,
        @DefaultValue("64GB") DataSize maxTensorSize,
        @DefaultValue("2KB") DataSize maxHeadersSize,
        @DefaultValue("4096") int dedupeWindow,
        @DefaultValue("256") int history,
        @DefaultValue("16") int listenerThreads,
        @DefaultValue("4") int listenerThreadsPerPeer,
        @DefaultValue("1024") int listenerQueue,
        @DefaultValue("2") int callbackThreads,

        @DefaultValue("5s") @DurationUnit(ChronoUnit.SECONDS)
        Duration deviceGrace) {

    private static final String PREFIX = "fabric.transfer";

    private static final DataSize GIGABYTE = DataSize.ofGigabytes(1);

    public TransferProperties {
        PropertyChecks.positive(PREFIX + ".deadline", deadline);
        PropertyChecks.positive(PREFIX + ".device-grace", deviceGrace);
        PropertyChecks.between(PREFIX + ".chunk-size", chunkSize, PropertyChecks.PAGE, GIGABYTE);
        PropertyChecks.between(
                PREFIX + ".small-threshold", smallThreshold, DataSize.ofBytes(0), DataSize.ofMegabytes(1));
        PropertyChecks.atLeast(PREFIX + ".stripe-threshold", stripeThreshold, DataSize.ofBytes(0));
        PropertyChecks.between(
                PREFIX + ".max-headers-size", maxHeadersSize, DataSize.ofBytes(0), DataSize.ofKilobytes(2));
        PropertyChecks.atLeast(PREFIX + ".max-tensor-size", maxTensorSize, DataSize.ofBytes(1));
    }

    /** The options, refused with the name of the property when out of range. */
    TransferOptions toOptions(Landing landing) {
        return PropertyChecks.checked(
                PREFIX,
                () -> TransferOptions.builder()
                        .landingZoneSize(landing.zoneSize().toBytes())
                        .landingChoice(landing.senderChoice())
                        .maxDedicatedBytes(landing.maxDedicatedSize().toBytes())
                        .maxDedicatedBytesPerPeer(
                                landing.maxDedicatedSizePerPeer().toBytes())
                        .maxDedicatedZonesPerPeer(landing.maxDedicatedZonesPerPeer())
                        .dedicatedZoneIdle(landing.dedicatedIdle())
                        .defaultDeadline(deadline)
                        .chunkSize((int) chunkSize.toBytes())
                        .chunksPerTransmission(chunksPerTransmission)
                        .transmissionsPerLane(transmissionsPerLane)
                        .maxQueued(maxQueued)
                        .whenFull(whenFull)
                        .smallThreshold((int) smallThreshold.toBytes())
                        .stripeThreshold(stripeThreshold.toBytes())
                        .maxTensorBytes(maxTensorSize.toBytes())
                        .maxHeadersBytes((int) maxHeadersSize.toBytes())
                        .dedupeWindow(dedupeWindow)
                        .history(history)
                        .listenerThreads(listenerThreads)
                        .listenerThreadsPerPeer(listenerThreadsPerPeer)
                        .listenerQueue(listenerQueue)
                        .callbackThreads(callbackThreads)
                        .deviceGrace(deviceGrace)
                        .build());
    }

    /**
     * Memory of this node that peers write to.
     *
     * @param memory Where listeners find tensors: "host", "cuda:N" for memory of a GPU, or "auto" for the first GPU in use
     *     and the host without one.
     * @param senderChoice Whether senders may ask for another kind of memory than "fabric.landing.memory": for the host, or
     *     for a GPU in use. Tensors are copied there when they have arrived.
     * @param zoneSize Landing zone of each connected peer.
     * @param maxSizePerAddress Most memory for landing zones of connections that one address asked for, whatever the node
     *     ids; more get 429. Half of what landing zones are taken out of, "fabric.memory.host.max-size" or that of the GPU,
     *     unless set.
     * @param maxDedicatedSize Most memory for zones that peers ask for large tensors, all peers together.
     * @param maxDedicatedSizePerPeer The same for one peer.
     * @param maxDedicatedZonesPerPeer Most such zones of one peer at a time.
     * @param dedicatedIdle How long such a zone may be unused before it is taken back.
     */
    public record Landing(
            @DefaultValue("host") String memory,
            @DefaultValue("true") boolean senderChoice,
            @DefaultValue("64MB") DataSize zoneSize,
            @Nullable DataSize maxSizePerAddress,
            @DefaultValue("16GB") DataSize maxDedicatedSize,
            @DefaultValue("8GB") DataSize maxDedicatedSizePerPeer,
            @DefaultValue("64") int maxDedicatedZonesPerPeer,

            @DefaultValue("60s") @DurationUnit(ChronoUnit.SECONDS)
            Duration dedicatedIdle) {

        public Landing {
            LandingMemory.parse(memory);
            PropertyChecks.atLeast("fabric.landing.zone-size", zoneSize, PropertyChecks.PAGE);
            if (maxSizePerAddress != null) {
                PropertyChecks.atLeast("fabric.landing.max-size-per-address", maxSizePerAddress, zoneSize);
            }
            PropertyChecks.atLeast("fabric.landing.max-dedicated-size", maxDedicatedSize, DataSize.ofBytes(0));
            PropertyChecks.atLeast(
                    "fabric.landing.max-dedicated-size-per-peer", maxDedicatedSizePerPeer, DataSize.ofBytes(0));
            PropertyChecks.range("fabric.landing.max-dedicated-zones-per-peer", maxDedicatedZonesPerPeer, 1, 65535);
            PropertyChecks.positive("fabric.landing.dedicated-idle", dedicatedIdle);
        }

        /** How many connections of one address may have a landing zone, at least one. */
        public int zonesPerAddress(FabricProperties.Memory pools) {
            long most = maxSizePerAddress == null ? pool(pools) / 2 : maxSizePerAddress.toBytes();
            return (int) Math.max(1, Math.min(Integer.MAX_VALUE, most / zoneSize.toBytes()));
        }

        private long pool(FabricProperties.Memory pools) {
            long host = pools.host().maxSize().toBytes();
            long gpu = pools.gpu().maxSize().toBytes();
            LandingMemory where = LandingMemory.parse(memory);
            if (where.kind() == null) {
                return Math.min(host, gpu);
            }
            return where.isGpu() ? gpu : host;
        }
    }
}

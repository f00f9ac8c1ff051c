package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.ConnectionOptions;
import io.tensorfabric.connection.ConnectionOptions.LinkOptions;
import io.tensorfabric.verbs.Mtu;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * How connections are made and kept.
 *
 * @param bulkLanes Queue pairs for large tensors of a connection that this node initiates, 0 to 15.
 * @param controlDepth Work requests that may be outstanding on the control lane.
 * @param bulkDepth Work requests that may be outstanding on each bulk lane.
 * @param receiveCredits Receives that are kept posted for each lane.
 * @param negotiationTimeout Longest time for a negotiation as a whole.
 * @param probeTimeout Longest time to prove the path, within the negotiation.
 * @param heartbeatInterval How often each end shows life.
 * @param heartbeatTimeout Silence of the peer after which a connection is lost; at least twice the interval.
 * @param drainTimeout Longest time for work in flight to end when a connection closes.
 * @param reconnectBackoff Wait after the first failed negotiation; doubles with each further one.
 * @param maxReconnectBackoff Longest wait between two negotiations, before jitter of up to a quarter.
 * @param addressLifetime How long Java keeps the address of a host name, in the whole process and unless the process says
 *     so itself; 0 leaves Java's setting, which is 30 seconds.
 * @param maxConnections Most connections at once, half-open ones included.
 * @param maxQueuePairs Most queue pairs of all connections at once, 0 for as many as the device has. When there are no more,
 *     the connection that nobody used for longest makes room.
 * @param evictionIdle How long a connection must be unused before it may make room for another.
 * @param idleTimeout How long a connection may be unused before it is closed anyway, 0 for ever.
 * @param memoryWindows Whether memory windows open memory to peers where the device enforces them.
 * @param link Settings of the queue pairs.
 */
public record ConnectionProperties(
        @DefaultValue("2") int bulkLanes,
        @DefaultValue("128") int controlDepth,
        @DefaultValue("256") int bulkDepth,
        @DefaultValue("64") int receiveCredits,

        @DefaultValue("5s") @DurationUnit(ChronoUnit.SECONDS)
        Duration negotiationTimeout,

        @DefaultValue("2s") @DurationUnit(ChronoUnit.SECONDS)
        Duration probeTimeout,

        @DefaultValue("1s") @DurationUnit(ChronoUnit.SECONDS)
        Duration heartbeatInterval,

        @DefaultValue("5s") @DurationUnit(ChronoUnit.SECONDS)
        Duration heartbeatTimeout,

        @DefaultValue("5s") @DurationUnit(ChronoUnit.SECONDS)
        Duration drainTimeout,

        @DefaultValue("200ms") @DurationUnit(ChronoUnit.SECONDS)
        Duration reconnectBackoff,

        @DefaultValue("10s") @DurationUnit(ChronoUnit.SECONDS)
        Duration maxReconnectBackoff,

        @DefaultValue(ADDRESS_LIFETIME) @DurationUnit(ChronoUnit.SECONDS)
        Duration addressLifetime,

        @DefaultValue("256") int maxConnections,
        @DefaultValue("0") int maxQueuePairs,

        @DefaultValue("1s") @DurationUnit(ChronoUnit.SECONDS)
        Duration evictionIdle,

        @DefaultValue("0s") @DurationUnit(ChronoUnit.SECONDS)
        Duration idleTimeout,

        @DefaultValue("true") boolean memoryWindows,
        @DefaultValue Link link) {

    static final String ADDRESS_LIFETIME = "10s";

    private static final String PREFIX = "fabric.connection";

    public ConnectionProperties {
        PropertyChecks.positive(PREFIX + ".negotiation-timeout", negotiationTimeout);
        PropertyChecks.positive(PREFIX + ".probe-timeout", probeTimeout);
        PropertyChecks.positive(PREFIX + ".heartbeat-interval", heartbeatInterval);
        PropertyChecks.positive(PREFIX + ".heartbeat-timeout", heartbeatTimeout);
        PropertyChecks.positive(PREFIX + ".drain-timeout", drainTimeout);
        PropertyChecks.positive(PREFIX + ".reconnect-backoff", reconnectBackoff);
        PropertyChecks.positive(PREFIX + ".max-reconnect-backoff", maxReconnectBackoff);
        PropertyChecks.notNegative(PREFIX + ".address-lifetime", addressLifetime);
        PropertyChecks.positive(PREFIX + ".eviction-idle", evictionIdle);
        PropertyChecks.notNegative(PREFIX + ".idle-timeout", idleTimeout);
    }

    /** The options, refused with the name of the property when out of range. */
    ConnectionOptions toOptions() {
        return PropertyChecks.checked(
                PREFIX,
                () -> ConnectionOptions.builder()
                        .bulkLanes(bulkLanes)
                        .controlDepth(controlDepth)
                        .bulkDepth(bulkDepth)
                        .receiveCredits(receiveCredits)
                        .negotiationTimeout(negotiationTimeout)
                        .probeTimeout(probeTimeout)
                        .heartbeatInterval(heartbeatInterval)
                        .heartbeatTimeout(heartbeatTimeout)
                        .drainTimeout(drainTimeout)
                        .reconnectBackoff(reconnectBackoff)
                        .maxReconnectBackoff(maxReconnectBackoff)
                        .maxConnections(maxConnections)
                        .maxQueuePairs(maxQueuePairs)
                        .evictionIdle(evictionIdle)
                        .idleTimeout(idleTimeout)
                        .link(link.toOptions())
                        .build());
    }

    /**
     * Settings of the queue pairs, as in ibv_modify_qp(3).
     *
     * @param timeout Acknowledgement timeout: 4.096 microseconds times two to the power of this, 1 to 31.
     * @param retryCount Retries after a lost acknowledgement, 0 to 7; some devices take 7 for "for ever".
     * @param rnrRetry Retries when the receiver is not ready, 0 to 7; 7 is for ever.
     * @param minRnrTimer Code of the shortest wait of a sender whose receiver was not ready, 1 to 31.
     * @param trafficClass Traffic class of the packets, 0 to 255; for RoCE the DSCP value times four.
     * @param serviceLevel Service level, 0 to 7.
     * @param hopLimit Hop limit, 1 to 255.
     * @param maxMtu Largest path MTU in bytes: 256, 512, 1024, 2048 or 4096.
     */
    public record Link(
            @DefaultValue("14") int timeout,
            @DefaultValue("6") int retryCount,
            @DefaultValue("6") int rnrRetry,
            @DefaultValue("12") int minRnrTimer,
            @DefaultValue("0") int trafficClass,
            @DefaultValue("0") int serviceLevel,
            @DefaultValue("64") int hopLimit,
            @DefaultValue("4096") int maxMtu) {

        LinkOptions toOptions() {
            return PropertyChecks.checked(
                    PREFIX + ".link",
                    () -> new LinkOptions(
                            timeout,
                            retryCount,
                            rnrRetry,
                            minRnrTimer,
                            trafficClass,
                            serviceLevel,
                            hopLimit,
                            PropertyChecks.checked(PREFIX + ".link.max-mtu", () -> Mtu.ofBytes(maxMtu))));
        }
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.verbs.Mtu;
import java.time.Duration;

/**
 * How connections are made and kept. Immutable; made by {@link #builder()}.
 *
 * @param bulkLanes bulk lanes of a connection that this node initiates, 0 to {@link #MAX_BULK_LANES}
 * @param controlDepth work requests that may be outstanding on the control lane
 * @param bulkDepth work requests that may be outstanding on each bulk lane
 * @param receiveCredits receives that this end keeps posted for each lane; the peer may send that many messages before it
 *     gets credits back
 * @param negotiationTimeout how long a negotiation may take as a whole, and how long a half-open connection lives
 * @param probeTimeout how long proving the path may take as a whole, within the negotiation
 * @param heartbeatInterval how often each end shows life
 * @param heartbeatTimeout silence of the peer after which the connection is lost
 * @param drainTimeout how long work in flight may take to end when a connection closes, and the device to flush when it
 *     fails
 * @param reconnectBackoff wait after the first failed negotiation; doubles with each further one
 * @param maxReconnectBackoff longest wait between two negotiations
 * @param maxConnections connections that may exist at once, half-open ones included
 * @param maxQueuePairs queue pairs of all connections that may exist at once, 0 for as many as the device has
 * @param evictionIdle how long a connection must be unused before it may be closed to make room for another
 * @param idleTimeout how long a connection may be unused before it is closed anyway, zero for ever
 * @param link settings of the queue pairs
 */
public record ConnectionOptions(
        int bulkLanes,
        int controlDepth,
        int bulkDepth,
        int receiveCredits,
        Duration negotiationTimeout,
        Duration probeTimeout,
        Duration heartbeatInterval,
        Duration heartbeatTimeout,
        Duration drainTimeout,
        Duration reconnectBackoff,
        Duration maxReconnectBackoff,
        int maxConnections,
        int maxQueuePairs,
        Duration evictionIdle,
        Duration idleTimeout,
        LinkOptions link) {

    /** Most bulk lanes of a connection. */
    public static final int MAX_BULK_LANES = 15;

    /** Fewest credits of a lane: some are kept for the connection's own messages. */
    public static final int MIN_CREDITS = 8;

    /** Most credits of a lane: a message header returns up to that many at once. */
    public static final int MAX_CREDITS = 65_535;

    private static final int MAX_DEPTH = 32_768;

    /** Checks ranges and that the durations fit each other. */
    public ConnectionOptions {
        range("bulkLanes", bulkLanes, 0, MAX_BULK_LANES);
        range("controlDepth", controlDepth, 2, MAX_DEPTH);
        range("bulkDepth", bulkDepth, 2, MAX_DEPTH);
        range("receiveCredits", receiveCredits, MIN_CREDITS, MAX_CREDITS);
        range("maxConnections", maxConnections, 1, 1 << 15);
        range("maxQueuePairs", maxQueuePairs, 0, 1 << 24);
        positive("evictionIdle", evictionIdle);
        if (idleTimeout.isNegative()) {
            throw new IllegalArgumentException("idleTimeout must not be negative, not " + idleTimeout);
        }
        positive("negotiationTimeout", negotiationTimeout);
        positive("probeTimeout", probeTimeout);
        positive("heartbeatInterval", heartbeatInterval);
        positive("heartbeatTimeout", heartbeatTimeout);
        positive("drainTimeout", drainTimeout);
        positive("reconnectBackoff", reconnectBackoff);
        positive("maxReconnectBackoff", maxReconnectBackoff);
        if (heartbeatTimeout.compareTo(heartbeatInterval.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException("heartbeatTimeout must be at least twice heartbeatInterval ("
                    + heartbeatInterval + "), not " + heartbeatTimeout);
        }
        if (maxReconnectBackoff.compareTo(reconnectBackoff) < 0) {
            throw new IllegalArgumentException("maxReconnectBackoff must be at least reconnectBackoff ("
                    + reconnectBackoff + "), not " + maxReconnectBackoff);
        }
    }

    /**
     * Settings of the queue pairs, see {@code ibv_modify_qp(3)}.
     *
     * @param timeout code of the local acknowledgement timeout: 4.096 us times two to the power of it, 1 to 31
     * @param retryCount retries after a lost acknowledgement, 0 to 7; 7 is taken for "for ever" by some devices
     * @param rnrRetry retries after receiver-not-ready, 0 to 7; 7 is for ever, which credits make needless
     * @param minRnrTimer code of the shortest receiver-not-ready wait, 1 to 31; 0 would be the longest of all
     * @param trafficClass traffic class of the packets, 0 to 255
     * @param serviceLevel service level, 0 to 7
     * @param hopLimit hop limit, 1 to 255
     * @param maxMtu largest path MTU that this node offers; the port's active MTU limits it further
     */
    public record LinkOptions(
            int timeout,
            int retryCount,
            int rnrRetry,
            int minRnrTimer,
            int trafficClass,
            int serviceLevel,
            int hopLimit,
            Mtu maxMtu) {

        /** Checks ranges. */
        public LinkOptions {
            range("timeout", timeout, 1, 31);
            range("retryCount", retryCount, 0, 7);
            range("rnrRetry", rnrRetry, 0, 7);
            range("minRnrTimer", minRnrTimer, 1, 31);
            range("trafficClass", trafficClass, 0, 255);
            range("serviceLevel", serviceLevel, 0, 7);
            range("hopLimit", hopLimit, 1, 255);
        }

        /**
         * The field's usual values: timeout 14 (67 ms), 6 retries (7 never ends on some devices), 6 receiver-not-ready
         * retries of at least 0.64 ms, default traffic class and service level, 64 hops, any MTU.
         */
        public static LinkOptions defaults() {
            return new LinkOptions(14, 6, 6, 12, 0, 0, 64, Mtu.MTU_4096);
        }
    }

    /** The defaults of {@link #builder()}. */
    public static ConnectionOptions defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Starts from these options. */
    public Builder toBuilder() {
        return new Builder()
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
                .link(link);
    }

    /** Depth of a lane of a purpose. */
    int depth(LanePurpose purpose) {
        return purpose == LanePurpose.CONTROL ? controlDepth : bulkDepth;
    }

    private static void range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " must be from " + min + " to " + max + ", not " + value);
        }
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private int bulkLanes = 2;
        private int controlDepth = 128;
        private int bulkDepth = 256;
        private int receiveCredits = 64;
        private Duration negotiationTimeout = Duration.ofSeconds(5);
        private Duration probeTimeout = Duration.ofSeconds(2);
        private Duration heartbeatInterval = Duration.ofSeconds(1);
        private Duration heartbeatTimeout = Duration.ofSeconds(5);
        private Duration drainTimeout = Duration.ofSeconds(5);
        private Duration reconnectBackoff = Duration.ofMillis(200);
        private Duration maxReconnectBackoff = Duration.ofSeconds(10);
        private int maxConnections = 256;
        private int maxQueuePairs;
        private Duration evictionIdle = Duration.ofSeconds(1);
        private Duration idleTimeout = Duration.ZERO;
        private LinkOptions link = LinkOptions.defaults();

        private Builder() {}

        /** Sets the number of bulk lanes; 1 by default. */
        public Builder bulkLanes(int value) {
            bulkLanes = value;
            return this;
        }

        /** Sets the depth of the control lane; 128 by default. */
        public Builder controlDepth(int value) {
            controlDepth = value;
            return this;
        }

        /** Sets the depth of bulk lanes; 256 by default. */
        public Builder bulkDepth(int value) {
            bulkDepth = value;
            return this;
        }

        /** Sets the receives kept posted for each lane; 64 by default. */
        public Builder receiveCredits(int value) {
            receiveCredits = value;
            return this;
        }

        /** Sets the deadline of a negotiation; 5 s by default. */
        public Builder negotiationTimeout(Duration value) {
            negotiationTimeout = value;
            return this;
        }

        /** Sets the deadline of the probe; 2 s by default. */
        public Builder probeTimeout(Duration value) {
            probeTimeout = value;
            return this;
        }

        /** Sets the heartbeat interval; 1 s by default. */
        public Builder heartbeatInterval(Duration value) {
            heartbeatInterval = value;
            return this;
        }

        /** Sets the silence after which a connection is lost; 5 s by default. */
        public Builder heartbeatTimeout(Duration value) {
            heartbeatTimeout = value;
            return this;
        }

        /** Sets the deadline for work in flight at close; 5 s by default. */
        public Builder drainTimeout(Duration value) {
            drainTimeout = value;
            return this;
        }

        /** Sets the wait after the first failed negotiation; 200 ms by default. */
        public Builder reconnectBackoff(Duration value) {
            reconnectBackoff = value;
            return this;
        }

        /** Sets the longest wait between negotiations; 30 s by default. */
        public Builder maxReconnectBackoff(Duration value) {
            maxReconnectBackoff = value;
            return this;
        }

        /** Sets the most connections; 256 by default. */
        public Builder maxConnections(int value) {
            maxConnections = value;
            return this;
        }

        /** Sets the most queue pairs; as many as the device has by default. */
        public Builder maxQueuePairs(int value) {
            maxQueuePairs = value;
            return this;
        }

        /** Sets how long a connection must be unused to make room for another; 1 s by default. */
        public Builder evictionIdle(Duration value) {
            evictionIdle = value;
            return this;
        }

        /** Sets how long a connection may be unused; for ever by default. */
        public Builder idleTimeout(Duration value) {
            idleTimeout = value;
            return this;
        }

        /** Sets the queue pairs' settings; {@link LinkOptions#defaults()} by default. */
        public Builder link(LinkOptions value) {
            link = value;
            return this;
        }

        /**
         * Makes the options.
         *
         * @throws IllegalArgumentException if one is out of range, naming it
         */
        public ConnectionOptions build() {
            return new ConnectionOptions(
                    bulkLanes,
                    controlDepth,
                    bulkDepth,
                    receiveCredits,
                    negotiationTimeout,
                    probeTimeout,
                    heartbeatInterval,
                    heartbeatTimeout,
                    drainTimeout,
                    reconnectBackoff,
                    maxReconnectBackoff,
                    maxConnections,
                    maxQueuePairs,
                    evictionIdle,
                    idleTimeout,
                    link);
        }
    }
}

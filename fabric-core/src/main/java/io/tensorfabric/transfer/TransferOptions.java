package io.tensorfabric.transfer;

import java.time.Duration;

/**
 * Limits and sizes of transfers. Immutable and valid; made with {@link #builder()}. All sizes in bytes.
 *
 * @param landingZoneSize memory that each connected peer gets here for its tensors
 * @param landingChoice whether senders may ask for another kind of memory than that which tensors land in otherwise
 * @param maxDedicatedBytes most memory of this node for zones that peers ask for large tensors, all peers together
 * @param maxDedicatedBytesPerPeer the same for one peer
 * @param maxDedicatedZonesPerPeer most such zones of one peer at a time
 * @param dedicatedZoneIdle how long such a zone may be unused before it is taken back
 * @param defaultDeadline deadline of a push that names none
 * @param chunkSize length of one RDMA WRITE of a large tensor
 * @param chunksPerTransmission writes that are posted at once with one doorbell
 * @param transmissionsPerLane posted and unfinished transmissions of large tensors on a lane
 * @param maxQueued most pushes that wait behind them when {@code whenFull} is WAIT
 * @param whenFull what a push does when a limit is reached
 * @param smallThreshold longest tensor that takes the control lane, unless its {@link TransferPriority} says otherwise, and
 *     is copied instead of registered when its memory is not registered
 * @param stripeThreshold shortest tensor that is spread over all bulk lanes of its connection, where there are several;
 *     shorter ones take one lane as a whole
 * @param maxTensorBytes longest tensor, sent or received
 * @param maxHeadersBytes longest keys and values of a push together, at most 2048
 * @param resilience retries, circuit breaker and limit of pushes under way of each peer
 * @param dedupeWindow latest transfers of each sender that are remembered to deliver a retried one once
 * @param history ended transfers that {@link TensorTransferService#transfers()} shows
 * @param listenerThreads threads that run listeners, for all peers together
 * @param listenerThreadsPerPeer most of them that tensors of one peer may have at once; a larger number than
 *     {@code listenerThreads} means all of them
 * @param listenerQueue tensors of one peer that may wait for a listener thread before further ones are no longer accepted
 * @param callbackThreads threads that complete futures
 * @param deviceGrace how long the device may hold the memory of an expired or cancelled push before its connection is
 *     failed to get the memory back
 */
public record TransferOptions(
        long landingZoneSize,
        boolean landingChoice,
        long maxDedicatedBytes,
        long maxDedicatedBytesPerPeer,
        int maxDedicatedZonesPerPeer,
        Duration dedicatedZoneIdle,
        Duration defaultDeadline,
        int chunkSize,
        int chunksPerTransmission,
        int transmissionsPerLane,
        int maxQueued,
        WhenFull whenFull,
        int smallThreshold,
        long stripeThreshold,
        long maxTensorBytes,
        int maxHeadersBytes,
        ResilienceOptions resilience,
        int dedupeWindow,
        int history,
        int listenerThreads,
        int listenerThreadsPerPeer,
        int listenerQueue,
        int callbackThreads,
        Duration deviceGrace) {

    private static final TransferOptions DEFAULTS = builder().build();

    /** Most bytes of one RDMA WRITE that a lane takes. */
    private static final int MAX_CHUNK = 1 << 30;

    /** Validates. */
    public TransferOptions {
        within("landingZoneSize", landingZoneSize, 4096, Long.MAX_VALUE / 4);
        within("maxDedicatedBytes", maxDedicatedBytes, 0, Long.MAX_VALUE / 4);
        within("maxDedicatedBytesPerPeer", maxDedicatedBytesPerPeer, 0, Long.MAX_VALUE / 4);
        within("maxDedicatedZonesPerPeer", maxDedicatedZonesPerPeer, 1, 65_535);
        positive("dedicatedZoneIdle", dedicatedZoneIdle);
        positive("defaultDeadline", defaultDeadline);
        within("chunkSize", chunkSize, 4096, MAX_CHUNK);
        within("chunksPerTransmission", chunksPerTransmission, 1, 64);
        within("transmissionsPerLane", transmissionsPerLane, 1, 1024);
        within("maxQueued", maxQueued, 0, 1 << 24);
        within("smallThreshold", smallThreshold, 0, 1 << 20);
        within("stripeThreshold", stripeThreshold, 0, Long.MAX_VALUE / 4);
        within("maxTensorBytes", maxTensorBytes, 1, Long.MAX_VALUE / 4);
        within("maxHeadersBytes", maxHeadersBytes, 0, TransferMessages.MAX_HEADER_BYTES);
        within("dedupeWindow", dedupeWindow, 1, 1 << 20);
        within("history", history, 0, 1 << 16);
        within("listenerThreads", listenerThreads, 1, 1024);
        within("listenerThreadsPerPeer", listenerThreadsPerPeer, 1, 1024);
        within("listenerQueue", listenerQueue, 1, 1 << 20);
        within("callbackThreads", callbackThreads, 1, 1024);
        positive("deviceGrace", deviceGrace);
    }

    private static void within(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " must lie between " + min + " and " + max + ", not " + value);
        }
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
    }

    /** The defaults of {@link Builder}. */
    public static TransferOptions defaults() {
        return DEFAULTS;
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Makes options; what is not set keeps its default. Not thread-safe. */
    public static final class Builder {

        private long landingZoneSize = 64L << 20;
        private boolean landingChoice = true;
        private long maxDedicatedBytes = 16L << 30;
        private long maxDedicatedBytesPerPeer = 8L << 30;
        private int maxDedicatedZonesPerPeer = 64;
        private Duration dedicatedZoneIdle = Duration.ofMinutes(1);
        private Duration defaultDeadline = Duration.ofSeconds(30);
        private int chunkSize = 1 << 20;
        private int chunksPerTransmission = 4;
        private int transmissionsPerLane = 4;
        private int maxQueued = 16 * 1024;
        private WhenFull whenFull = WhenFull.WAIT;
        private int smallThreshold = 64 * 1024;
        private long stripeThreshold = 4L << 20;
        private long maxTensorBytes = 64L << 30;
        private int maxHeadersBytes = TransferMessages.MAX_HEADER_BYTES;
        private ResilienceOptions resilience = ResilienceOptions.defaults();
        private int dedupeWindow = 4096;
        private int history = 256;
        private int listenerThreads = 16;
        private int listenerThreadsPerPeer = 4;
        private int listenerQueue = 1024;
        private int callbackThreads = 2;
        private Duration deviceGrace = Duration.ofSeconds(5);

        private Builder() {}

        /** See {@link TransferOptions#landingZoneSize()}; 64 MiB unless set. */
        public Builder landingZoneSize(long bytes) {
            this.landingZoneSize = bytes;
            return this;
        }

        /** See {@link TransferOptions#landingChoice()}; true unless set. */
        public Builder landingChoice(boolean value) {
            this.landingChoice = value;
            return this;
        }

        /** See {@link TransferOptions#maxDedicatedBytes()}; 16 GiB unless set. */
        public Builder maxDedicatedBytes(long bytes) {
            this.maxDedicatedBytes = bytes;
            return this;
        }

        /** See {@link TransferOptions#maxDedicatedBytesPerPeer()}; 8 GiB unless set. */
        public Builder maxDedicatedBytesPerPeer(long bytes) {
            this.maxDedicatedBytesPerPeer = bytes;
            return this;
        }

        /** See {@link TransferOptions#maxDedicatedZonesPerPeer()}; 64 unless set. */
        public Builder maxDedicatedZonesPerPeer(int zones) {
            this.maxDedicatedZonesPerPeer = zones;
            return this;
        }

        /** See {@link TransferOptions#dedicatedZoneIdle()}; a minute unless set. */
        public Builder dedicatedZoneIdle(Duration value) {
            this.dedicatedZoneIdle = value;
            return this;
        }

        /** See {@link TransferOptions#defaultDeadline()}; 30 s unless set. */
        public Builder defaultDeadline(Duration value) {
            this.defaultDeadline = value;
            return this;
        }

        /** See {@link TransferOptions#chunkSize()}; 1 MiB unless set. */
        public Builder chunkSize(int bytes) {
            this.chunkSize = bytes;
            return this;
        }

        /** See {@link TransferOptions#chunksPerTransmission()}; 4 unless set. */
        public Builder chunksPerTransmission(int value) {
            this.chunksPerTransmission = value;
            return this;
        }

        /** See {@link TransferOptions#transmissionsPerLane()}; 4 unless set. */
        public Builder transmissionsPerLane(int value) {
            this.transmissionsPerLane = value;
            return this;
        }

        /** See {@link ResilienceOptions#maxInFlight()}; 1024 unless set. */
        public Builder maxInFlight(int value) {
            return resilience(resilience.withMaxInFlight(value));
        }

        /** See {@link TransferOptions#maxQueued()}; 16384 unless set. */
        public Builder maxQueued(int value) {
            this.maxQueued = value;
            return this;
        }

        /** See {@link TransferOptions#whenFull()}; WAIT unless set. */
        public Builder whenFull(WhenFull value) {
            this.whenFull = value;
            return this;
        }

        /** See {@link TransferOptions#smallThreshold()}; 64 KiB unless set. */
        public Builder smallThreshold(int bytes) {
            this.smallThreshold = bytes;
            return this;
        }

        /** See {@link TransferOptions#stripeThreshold()}; 4 MiB unless set. */
        public Builder stripeThreshold(long bytes) {
            this.stripeThreshold = bytes;
            return this;
        }

        /** See {@link TransferOptions#maxTensorBytes()}; 64 GiB unless set. */
        public Builder maxTensorBytes(long bytes) {
            this.maxTensorBytes = bytes;
            return this;
        }

        /** See {@link TransferOptions#maxHeadersBytes()}; 2 KiB unless set. */
        public Builder maxHeadersBytes(int bytes) {
            this.maxHeadersBytes = bytes;
            return this;
        }

        /** See {@link TransferOptions#resilience()}; {@link ResilienceOptions#defaults()} unless set. */
        public Builder resilience(ResilienceOptions value) {
            this.resilience = value;
            return this;
        }

        /** See {@link ResilienceOptions#retry()}; {@link RetryOptions#defaults()} unless set. */
        public Builder retry(RetryOptions value) {
            return resilience(resilience.withRetry(value));
        }

        /** See {@link TransferOptions#dedupeWindow()}; 4096 unless set. */
        public Builder dedupeWindow(int value) {
            this.dedupeWindow = value;
            return this;
        }

        /** See {@link TransferOptions#history()}; 256 unless set. */
        public Builder history(int value) {
            this.history = value;
            return this;
        }

        /** See {@link TransferOptions#listenerThreads()}; 16 unless set. */
        public Builder listenerThreads(int value) {
            this.listenerThreads = value;
            return this;
        }

        /** See {@link TransferOptions#listenerThreadsPerPeer()}; 4 unless set. */
        public Builder listenerThreadsPerPeer(int value) {
            this.listenerThreadsPerPeer = value;
            return this;
        }

        /** See {@link TransferOptions#listenerQueue()}; 1024 unless set. */
        public Builder listenerQueue(int value) {
            this.listenerQueue = value;
            return this;
        }

        /** See {@link TransferOptions#callbackThreads()}; 2 unless set. */
        public Builder callbackThreads(int value) {
            this.callbackThreads = value;
            return this;
        }

        /** See {@link TransferOptions#deviceGrace()}; 5 s unless set. */
        public Builder deviceGrace(Duration value) {
            this.deviceGrace = value;
            return this;
        }

        /**
         * Makes the options.
         *
         * @throws IllegalArgumentException if one is out of range
         */
        public TransferOptions build() {
            return new TransferOptions(
                    landingZoneSize,
                    landingChoice,
                    maxDedicatedBytes,
                    maxDedicatedBytesPerPeer,
                    maxDedicatedZonesPerPeer,
                    dedicatedZoneIdle,
                    defaultDeadline,
                    chunkSize,
                    chunksPerTransmission,
                    transmissionsPerLane,
                    maxQueued,
                    whenFull,
                    smallThreshold,
                    stripeThreshold,
                    maxTensorBytes,
                    maxHeadersBytes,
                    resilience,
                    dedupeWindow,
                    history,
                    listenerThreads,
                    listenerThreadsPerPeer,
                    listenerQueue,
                    callbackThreads,
                    deviceGrace);
        }
    }
}

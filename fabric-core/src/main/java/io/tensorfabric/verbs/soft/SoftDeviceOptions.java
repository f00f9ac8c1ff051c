package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.Mtu;
import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a software device is like: where it listens, its limits, and the faults of tests. Immutable; start from
 * {@link #defaults()} and change copies with the {@code withX} methods, or use {@link #toBuilder()}.
 */
public final class SoftDeviceOptions {

    private final Builder values;

    private SoftDeviceOptions(Builder values) {
        this.values = values;
    }

    /** Device {@code soft0}: one active port, on loopback and an ephemeral TCP port. */
    public static SoftDeviceOptions defaults() {
        return new Builder().build();
    }

    /** A builder that starts from {@link #defaults()}. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        return new Builder(values);
    }

    /** The same with another device name. */
    public SoftDeviceOptions withName(String name) {
        return toBuilder().name(name).build();
    }

    /** The same with another address to listen on. */
    public SoftDeviceOptions withBindAddress(InetAddress address) {
        return toBuilder().bindAddress(address).build();
    }

    /** The same with a fixed TCP port, 0 for an ephemeral one. */
    public SoftDeviceOptions withPort(int port) {
        return toBuilder().port(port).build();
    }

    /** The same with another address that peers dial. */
    public SoftDeviceOptions withAdvertisedAddress(InetAddress address) {
        return toBuilder().advertisedAddress(address).build();
    }

    /** The same with another limit of queue pairs. */
    public SoftDeviceOptions withMaxQueuePairs(int count) {
        return toBuilder().maxQueuePairs(count).build();
    }

    /** The same with another number of ports. */
    public SoftDeviceOptions withPortCount(int count) {
        return toBuilder().portCount(count).build();
    }

    /** The same with another active MTU. */
    public SoftDeviceOptions withMtu(Mtu mtu) {
        return toBuilder().mtu(mtu).build();
    }

    /** The same with faults of a test. */
    public SoftDeviceOptions withFaults(SoftFaults faults) {
        return toBuilder().faults(faults).build();
    }

    /** Name of the device. */
    public String name() {
        return values.name;
    }

    /** Address to listen on. */
    public InetAddress bindAddress() {
        return values.bindAddress;
    }

    /** TCP port to listen on, 0 for an ephemeral one. */
    public int port() {
        return values.port;
    }

    /** Address that peers dial, also the device's GID. */
    public InetAddress advertisedAddress() {
        InetAddress advertised = values.advertisedAddress;
        return advertised == null ? values.bindAddress : advertised;
    }

    /** Queue pairs that may exist at once. */
    public int maxQueuePairs() {
        return values.maxQueuePairs;
    }

    /** Memory regions that may exist at once. */
    public int maxMemoryRegions() {
        return values.maxMemoryRegions;
    }

    /** Bytes of one memory region. */
    public long maxMemoryRegionSize() {
        return values.maxMemoryRegionSize;
    }

    /** Memory windows that may exist at once. */
    public int maxMemoryWindows() {
        return values.maxMemoryWindows;
    }

    /** Completion queues that may exist at once. */
    public int maxCompletionQueues() {
        return values.maxCompletionQueues;
    }

    /** Entries of one completion queue. */
    public int maxCompletionQueueEntries() {
        return values.maxCompletionQueueEntries;
    }

    /** Outstanding work requests of one queue. */
    public int maxWorkRequests() {
        return values.maxWorkRequests;
    }

    /** Protection domains that may exist at once. */
    public int maxProtectionDomains() {
        return values.maxProtectionDomains;
    }

    /** Shared receive queues that may exist at once. */
    public int maxSharedReceiveQueues() {
        return values.maxSharedReceiveQueues;
    }

    /** READs that a queue pair may start or serve at once. */
    public int maxReads() {
        return values.maxReads;
    }

    /** Bytes of one inline send. */
    public int maxInlineData() {
        return values.maxInlineData;
    }

    /** Active MTU of the ports. */
    public Mtu mtu() {
        return values.mtu;
    }

    /** Number of ports. */
    public int portCount() {
        return values.portCount;
    }

    /** Threads that move data. */
    public int ioThreads() {
        return values.ioThreads;
    }

    /**
     * Shortest wait for an acknowledgement while the TCP connection stands. A queue pair's own timeout is made for
     * cards, which answer in microseconds; a busy or collecting JVM does not.
     */
    public Duration minimumAckTimeout() {
        return values.minimumAckTimeout;
    }

    /** The faults of tests. */
    public SoftFaults faults() {
        return values.faults;
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private static final int MAX_PORT = 65535;

        private String name = "soft0";
        /** Lanes of a peer: as many threads serve each by another one, whatever order they come in, unless others come between. */
        private static final int LANES = 3;

        private InetAddress bindAddress = loopback();
        private int port;
        private @Nullable InetAddress advertisedAddress;
        private int maxQueuePairs = 65536;
        private int maxMemoryRegions = 1 << 20;
        private long maxMemoryRegionSize = Long.MAX_VALUE;
        private int maxMemoryWindows = 1 << 20;
        private int maxCompletionQueues = 65536;
        private int maxCompletionQueueEntries = 1 << 20;
        private int maxWorkRequests = 1 << 15;
        private int maxProtectionDomains = 65536;
        private int maxSharedReceiveQueues = 65536;
        private int maxReads = 128;
        private int maxInlineData = 512;
        private Mtu mtu = Mtu.MTU_4096;
        private int portCount = 1;
        private int ioThreads = Math.max(LANES, Math.min(4, Runtime.getRuntime().availableProcessors()));
        private Duration minimumAckTimeout = Duration.ofSeconds(1);
        private SoftFaults faults = new SoftFaults();

        private Builder() {}

        private Builder(Builder other) {
            this.name = other.name;
            this.bindAddress = other.bindAddress;
            this.port = other.port;
            this.advertisedAddress = other.advertisedAddress;
            this.maxQueuePairs = other.maxQueuePairs;
            this.maxMemoryRegions = other.maxMemoryRegions;
            this.maxMemoryRegionSize = other.maxMemoryRegionSize;
            this.maxMemoryWindows = other.maxMemoryWindows;
            this.maxCompletionQueues = other.maxCompletionQueues;
            this.maxCompletionQueueEntries = other.maxCompletionQueueEntries;
            this.maxWorkRequests = other.maxWorkRequests;
            this.maxProtectionDomains = other.maxProtectionDomains;
            this.maxSharedReceiveQueues = other.maxSharedReceiveQueues;
            this.maxReads = other.maxReads;
            this.maxInlineData = other.maxInlineData;
            this.mtu = other.mtu;
            this.portCount = other.portCount;
            this.ioThreads = other.ioThreads;
            this.minimumAckTimeout = other.minimumAckTimeout;
            this.faults = other.faults;
        }

        private static InetAddress loopback() {
            return SoftAddress.literal("127.0.0.1");
        }

        /** Sets the device name. */
        public Builder name(String value) {
            name = value;
            return this;
        }

        /** Sets the address to listen on. */
        public Builder bindAddress(InetAddress value) {
            bindAddress = value;
            return this;
        }

        /** Sets the TCP port to listen on, 0 for an ephemeral one. */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /** Sets the address that peers dial; needed when listening on a wildcard address. */
        public Builder advertisedAddress(@Nullable InetAddress value) {
            advertisedAddress = value;
            return this;
        }

        /** Sets the limit of queue pairs. */
        public Builder maxQueuePairs(int value) {
            maxQueuePairs = value;
            return this;
        }

        /** Sets the limit of memory regions. */
        public Builder maxMemoryRegions(int value) {
            maxMemoryRegions = value;
            return this;
        }

        /** Sets the limit of bytes of a memory region. */
        public Builder maxMemoryRegionSize(long value) {
            maxMemoryRegionSize = value;
            return this;
        }

        /** Sets the limit of memory windows. */
        public Builder maxMemoryWindows(int value) {
            maxMemoryWindows = value;
            return this;
        }

        /** Sets the limit of completion queues. */
        public Builder maxCompletionQueues(int value) {
            maxCompletionQueues = value;
            return this;
        }

        /** Sets the limit of entries of a completion queue. */
        public Builder maxCompletionQueueEntries(int value) {
            maxCompletionQueueEntries = value;
            return this;
        }

        /** Sets the limit of work requests of a queue. */
        public Builder maxWorkRequests(int value) {
            maxWorkRequests = value;
            return this;
        }

        /** Sets the limit of protection domains. */
        public Builder maxProtectionDomains(int value) {
            maxProtectionDomains = value;
            return this;
        }

        /** Sets the limit of shared receive queues. */
        public Builder maxSharedReceiveQueues(int value) {
            maxSharedReceiveQueues = value;
            return this;
        }

        /** Sets the limit of outstanding READs of a queue pair, each way. */
        public Builder maxReads(int value) {
            maxReads = value;
            return this;
        }

        /** Sets the limit of inline data. */
        public Builder maxInlineData(int value) {
            maxInlineData = value;
            return this;
        }

        /** Sets the active MTU. */
        public Builder mtu(Mtu value) {
            mtu = value;
            return this;
        }

        /** Sets the number of ports. */
        public Builder portCount(int value) {
            portCount = value;
            return this;
        }

        /** Sets how many threads move data. */
        public Builder ioThreads(int value) {
            ioThreads = value;
            return this;
        }

        /** Sets the shortest wait for an acknowledgement on a standing connection. */
        public Builder minimumAckTimeout(Duration value) {
            minimumAckTimeout = value;
            return this;
        }

        /** Sets the faults of a test. */
        public Builder faults(SoftFaults value) {
            faults = value;
            return this;
        }

        /**
         * Makes the options.
         *
         * @throws IllegalArgumentException if a value makes no sense, naming it
         */
        public SoftDeviceOptions build() {
            require(!name.isBlank(), "the name must not be blank");
            require(port >= 0 && port <= MAX_PORT, "the port must be 0 to 65535, not " + port);
            require(
                    advertisedAddress != null || !bindAddress.isAnyLocalAddress(),
                    "listening on a wildcard address needs an advertised address that peers can dial");
            require(
                    advertisedAddress == null || !advertisedAddress.isAnyLocalAddress(),
                    "the advertised address must not be a wildcard");
            positive(maxQueuePairs, "queue pairs");
            positive(maxMemoryRegions, "memory regions");
            positive(maxMemoryRegionSize, "bytes of a memory region");
            positive(maxMemoryWindows, "memory windows");
            positive(maxCompletionQueues, "completion queues");
            positive(maxCompletionQueueEntries, "completion queue entries");
            positive(maxWorkRequests, "work requests");
            positive(maxProtectionDomains, "protection domains");
            positive(maxSharedReceiveQueues, "shared receive queues");
            positive(maxReads, "outstanding READs");
            positive(portCount, "ports");
            positive(ioThreads, "I/O threads");
            positive(minimumAckTimeout.toNanos(), "nanoseconds of the acknowledgement timeout");
            require(maxInlineData >= 0, "inline data must not be negative");
            require(portCount <= 255, "there are at most 255 ports");
            return new SoftDeviceOptions(new Builder(this));
        }

        private static void positive(long value, String what) {
            require(value > 0, "the number of " + what + " must be positive, not " + value);
        }

        private static void require(boolean condition, String message) {
            if (!condition) {
                throw new IllegalArgumentException("Bad software device: " + message);
            }
        }
    }
}

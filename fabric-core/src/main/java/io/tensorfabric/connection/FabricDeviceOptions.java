package io.tensorfabric.connection;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link FabricDevice} is opened. Immutable.
 *
 * @param deviceName name of the device, or {@code null} for the first one with an active port
 * @param port port, counted from 1, or {@link #AUTO} for the first active one
 * @param gidIndex index of the port's GID table, or {@link #AUTO} for the best one of each connection
 * @param pollers threads that poll for completions, each with its own completion queues
 * @param sendCompletions entries of each completion queue for sends: the work requests in flight of all lanes on it
 * @param receiveCompletions entries of each completion queue for receives: each connection takes its receive credits
 * @param pollBatch completions that are taken at once
 * @param spin how long a poller without work polls before it sleeps
 * @param memoryWindows whether memory windows open memory to peers where the device enforces them; else regions do
 * @param relaxedOrdering whether a device that can may reorder its writes to memory
 * @param numaAffinity whether pollers run only on the processors of the device's NUMA node
 */
public record FabricDeviceOptions(
        @Nullable String deviceName,
        int port,
        int gidIndex,
        int pollers,
        int sendCompletions,
        int receiveCompletions,
        int pollBatch,
        Duration spin,
        boolean memoryWindows,
        boolean relaxedOrdering,
        boolean numaAffinity) {

    /** Chosen by the fabric. */
    public static final int AUTO = -1;

    private static final int MAX_ENTRIES = 1 << 22;

    /** Checks ranges. */
    public FabricDeviceOptions {
        if (port != AUTO) {
            range("port", port, 1, 255);
        }
        if (gidIndex != AUTO) {
            range("gidIndex", gidIndex, 0, 65_535);
        }
        range("pollers", pollers, 1, 64);
        range("sendCompletions", sendCompletions, 8, MAX_ENTRIES);
        range("receiveCompletions", receiveCompletions, 8, MAX_ENTRIES);
        range("pollBatch", pollBatch, 1, 4096);
        if (spin.isNegative()) {
            throw new IllegalArgumentException("spin must not be negative: " + spin);
        }
    }

    /** Everything chosen by the fabric: one poller, 4096 and 32768 completions, batches of 64, 20 us of spinning. */
    public static FabricDeviceOptions defaults() {
        return builder().build();
    }

    /** Starts from {@link #defaults()}. */
    public static Builder builder() {
        return new Builder();
    }

    private static void range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " must be from " + min + " to " + max + ", not " + value);
        }
    }

    /** Collects options; each starts as in {@link FabricDeviceOptions#defaults()}. Not thread-safe. */
    public static final class Builder {

        private @Nullable String deviceName;
        private int port = AUTO;
        private int gidIndex = AUTO;
        private int pollers = 1;
        private int sendCompletions = 4096;
        private int receiveCompletions = 32_768;
        private int pollBatch = 64;
        private Duration spin = Duration.ofNanos(20_000);
        private CompletionMode mode = CompletionMode.ADAPTIVE;
        private boolean memoryWindows = true;
        private boolean relaxedOrdering = true;
        private boolean numaAffinity = true;

        private Builder() {}

        /** Name of the device, or {@code null} for the first one with an active port. */
        public Builder deviceName(@Nullable String value) {
            deviceName = value;
            return this;
        }

        /** Port, counted from 1, or {@link #AUTO}. */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /** Index of the port's GID table, or {@link #AUTO}. */
        public Builder gidIndex(int value) {
            gidIndex = value;
            return this;
        }

        /** Threads that poll for completions. */
        public Builder pollers(int value) {
            pollers = value;
            return this;
        }

        /** Entries of each poller's completion queues. */
        public Builder completions(int send, int receive) {
            sendCompletions = send;
            receiveCompletions = receive;
            return this;
        }

        /** Completions that are taken at once. */
        public Builder pollBatch(int value) {
            pollBatch = value;
            return this;
        }

        /** How pollers wait; {@link CompletionMode#ADAPTIVE} unless set. */
        public Builder mode(CompletionMode value) {
            mode = value;
            return this;
        }

        /** How long a poller of the adaptive mode polls without work before it sleeps; zero sleeps at once. */
        public Builder spin(Duration value) {
            spin = value;
            return this;
        }

        /** Whether memory windows are used where the device enforces them. */
        public Builder memoryWindows(boolean value) {
            memoryWindows = value;
            return this;
        }

        /** Whether a device that can may reorder its writes to memory. */
        public Builder relaxedOrdering(boolean value) {
            relaxedOrdering = value;
            return this;
        }

        /** Whether pollers run only on the processors of the device's NUMA node. */
        public Builder numaAffinity(boolean value) {
            numaAffinity = value;
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if a value is out of its range
         */
        public FabricDeviceOptions build() {
            return new FabricDeviceOptions(
                    deviceName,
                    port,
                    gidIndex,
                    pollers,
                    sendCompletions,
                    receiveCompletions,
                    pollBatch,
                    mode.spin(spin),
                    memoryWindows,
                    relaxedOrdering,
                    numaAffinity);
        }
    }
}

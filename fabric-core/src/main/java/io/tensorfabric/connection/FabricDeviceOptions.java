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

    /** Everything chosen by the fabric: one poller, 4096 and 16384 completions, batches of 64, 20 us of spinning. */
    public static FabricDeviceOptions defaults() {
        return new FabricDeviceOptions(null, AUTO, AUTO, 1, 4096, 16_384, 64, Duration.ofNanos(20_000), true, true);
    }

    /** The same for another device. */
    public FabricDeviceOptions withDeviceName(@Nullable String value) {
        return new FabricDeviceOptions(
                value,
                port,
                gidIndex,
                pollers,
                sendCompletions,
                receiveCompletions,
                pollBatch,
                spin,
                memoryWindows,
                numaAffinity);
    }

    /** The same for another port. */
    public FabricDeviceOptions withPort(int value) {
        return new FabricDeviceOptions(
                deviceName,
                value,
                gidIndex,
                pollers,
                sendCompletions,
                receiveCompletions,
                pollBatch,
                spin,
                memoryWindows,
                numaAffinity);
    }

    /** The same with another GID index. */
    public FabricDeviceOptions withGidIndex(int value) {
        return new FabricDeviceOptions(
                deviceName,
                port,
                value,
                pollers,
                sendCompletions,
                receiveCompletions,
                pollBatch,
                spin,
                memoryWindows,
                numaAffinity);
    }

    /** The same with another number of poller threads. */
    public FabricDeviceOptions withPollers(int value) {
        return new FabricDeviceOptions(
                deviceName,
                port,
                gidIndex,
                value,
                sendCompletions,
                receiveCompletions,
                pollBatch,
                spin,
                memoryWindows,
                numaAffinity);
    }

    /** The same with other sizes of the completion queues. */
    public FabricDeviceOptions withCompletions(int send, int receive) {
        return new FabricDeviceOptions(
                deviceName, port, gidIndex, pollers, send, receive, pollBatch, spin, memoryWindows, numaAffinity);
    }

    /** The same with another time of spinning; zero sleeps at once. */
    public FabricDeviceOptions withSpin(Duration value) {
        return new FabricDeviceOptions(
                deviceName,
                port,
                gidIndex,
                pollers,
                sendCompletions,
                receiveCompletions,
                pollBatch,
                value,
                memoryWindows,
                numaAffinity);
    }

    /** The same with or without memory windows. */
    public FabricDeviceOptions withMemoryWindows(boolean value) {
        return new FabricDeviceOptions(
                deviceName,
                port,
                gidIndex,
                pollers,
                sendCompletions,
                receiveCompletions,
                pollBatch,
                spin,
                value,
                numaAffinity);
    }

    /** The same with pollers bound to the processors near the device, or not. */
    public FabricDeviceOptions withNumaAffinity(boolean value) {
        return new FabricDeviceOptions(
                deviceName,
                port,
                gidIndex,
                pollers,
                sendCompletions,
                receiveCompletions,
                pollBatch,
                spin,
                memoryWindows,
                value);
    }

    private static void range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " must be from " + min + " to " + max + ", not " + value);
        }
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.verbs.DeviceAttributes;

/** Compares options with what a device can do, so that limits show at start-up. */
final class OptionsCheck {

    private OptionsCheck() {}

    static void check(FabricDevice device, ConnectionOptions options) {
        DeviceAttributes limits = device.attributes();
        int extra = QueuePairLane.INTERNAL_REQUESTS + QueuePairLane.MARKER_REQUESTS;
        atMost(device, "controlDepth", options.controlDepth(), limits.maxQueuePairWorkRequests() - extra);
        atMost(device, "bulkDepth", options.bulkDepth(), limits.maxQueuePairWorkRequests() - extra);
        int lanes = 1 + options.bulkLanes();
        atMost(
                device,
                "receiveCredits",
                options.receiveCredits(),
                Math.min(
                                limits.maxSharedReceiveQueueWorkRequests(),
                                device.options().receiveCompletions())
                        / lanes);
        atMost(device, "bulkLanes", options.bulkLanes(), device.options().sendCompletions() / 4 - 1);
    }

    /** Queue pairs that connections may have at once. */
    static int maxQueuePairs(FabricDevice device, ConnectionOptions options) {
        int limit = device.attributes().maxQueuePairs();
        return options.maxQueuePairs() == 0 ? limit : Math.min(options.maxQueuePairs(), limit);
    }

    private static void atMost(FabricDevice device, String option, int value, int most) {
        if (value > most) {
            throw new IllegalArgumentException(
                    option + " must be at most " + most + " on " + device.deviceName() + ", not " + value);
        }
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses a device and a port of it. */
final class DevicePorts {

    private static final Logger LOG = LoggerFactory.getLogger(DevicePorts.class);

    private DevicePorts() {}

    static VerbsDevice chooseDevice(VerbsProvider provider, FabricDeviceOptions options) {
        List<VerbsDevice> devices = provider.devices();
        String wanted = options.deviceName();
        if (wanted != null) {
            return devices.stream()
                    .filter(device -> device.name().equals(wanted))
                    .findFirst()
                    .orElseThrow(() -> new FabricDeviceException("There is no device " + wanted + " of provider "
                            + provider.name() + ". There is " + names(devices)));
        }
        if (devices.isEmpty()) {
            throw new FabricDeviceException(
                    "Provider " + provider.name() + " has no device. Check ibv_devinfo, or use another provider");
        }
        return devices.stream().filter(DevicePorts::hasActivePort).findFirst().orElseGet(() -> devices.get(0));
    }

    private static String names(List<VerbsDevice> devices) {
        return devices.isEmpty()
                ? "none"
                : devices.stream().map(VerbsDevice::name).collect(Collectors.joining(", "));
    }

    private static boolean hasActivePort(VerbsDevice device) {
        try (VerbsContext context = device.open()) {
            int ports = context.queryDevice().portCount();
            for (int port = 1; port <= ports; port++) {
                if (context.queryPort(port).state() == PortState.ACTIVE) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The configured port, whatever its state, or the first active one. */
    static int choose(VerbsContext context, int wanted) {
        int ports = context.queryDevice().portCount();
        if (wanted != FabricDeviceOptions.AUTO) {
            return configured(context, wanted, ports);
        }
        List<String> states = new ArrayList<>();
        for (int port = 1; port <= ports; port++) {
            PortState state = context.queryPort(port).state();
            if (state == PortState.ACTIVE) {
                return port;
            }
            states.add(port + " is " + state);
        }
        throw new FabricDeviceException("No port of " + context.deviceName() + " is ACTIVE: port "
                + String.join(", port ", states) + ". Bring the link up, or configure the port to wait for it");
    }

    private static int configured(VerbsContext context, int wanted, int ports) {
        if (wanted > ports) {
            throw new FabricDeviceException(
                    context.deviceName() + " has " + ports + " port(s), so there is no port " + wanted);
        }
        PortState state = context.queryPort(wanted).state();
        if (state != PortState.ACTIVE) {
            LOG.warn("Port {} of {} is {}: no connection until it is ACTIVE", wanted, context.deviceName(), state);
        }
        return wanted;
    }
}

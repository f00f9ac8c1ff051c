package io.tensorfabric.connection;

import io.tensorfabric.topology.CardRanking;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses a device and a port of it. */
final class DevicePorts {

    private static final Logger LOG = LoggerFactory.getLogger(DevicePorts.class);

    private DevicePorts() {}

    /** A device, and why it is this one. */
    record Choice(VerbsDevice device, DeviceDecision decision) {}

    /** The configured device; else the one that suits the GPUs best, the first of several, among those with an active port. */
    static Choice chooseDevice(VerbsProvider provider, FabricDeviceOptions options, CardRanking ranking) {
        List<VerbsDevice> devices = provider.devices();
        String wanted = options.deviceName();
        if (wanted != null) {
            VerbsDevice configured = devices.stream()
                    .filter(device -> device.name().equals(wanted))
                    .findFirst()
                    .orElseThrow(() -> new FabricDeviceException("There is no device " + wanted + " of provider "
                            + provider.name() + ". There is " + names(devices)));
            return choice(devices, configured, "configured", device -> wanted + " is configured");
        }
        if (devices.isEmpty()) {
            throw new FabricDeviceException(
                    "Provider " + provider.name() + " has no device. Check ibv_devinfo, or use another provider");
        }
        List<VerbsDevice> ranked = devices.stream()
                .sorted(Comparator.comparingInt(device -> ranking.rank(device.name())))
                .toList();
        Optional<VerbsDevice> active =
                ranked.stream().filter(DevicePorts::hasActivePort).findFirst();
        return active.map(device -> chosen(devices, ranked, device, ranking))
                .orElseGet(() -> choice(
                        devices, ranked.get(0), "no device has an active port", device -> "no active port either"));
    }

    private static Choice chosen(
            List<VerbsDevice> devices, List<VerbsDevice> ranked, VerbsDevice device, CardRanking ranking) {
        int place = ranked.indexOf(device);
        int rank = ranking.rank(device.name());
        String reason = "the first with an active port";
        if (devices.size() == 1) {
            reason = "the only one";
        } else if (ranking.isUseful()) {
            reason = "the nearest with an active port: " + ranking.reason(device.name());
        }
        return choice(devices, device, reason, other -> {
            if (ranked.indexOf(other) < place) {
                return "no active port";
            }
            return ranking.rank(other.name()) == rank ? "listed later" : "farther: " + ranking.reason(other.name());
        });
    }

    private static Choice choice(
            List<VerbsDevice> devices, VerbsDevice chosen, String reason, Function<VerbsDevice, String> objection) {
        List<DeviceDecision.Candidate> candidates = devices.stream()
                .map(device -> {
                    boolean taken = device.name().equals(chosen.name());
                    return new DeviceDecision.Candidate(device.name(), taken, taken ? reason : objection.apply(device));
                })
                .toList();
        return new Choice(chosen, new DeviceDecision(chosen.name(), candidates));
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

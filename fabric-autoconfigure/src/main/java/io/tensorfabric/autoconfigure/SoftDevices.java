package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.PeerAddress;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the options of the software device, and finds what would not work with them. */
final class SoftDevices {

    private SoftDevices() {}

    /**
     * The options; resolves names, so it runs at start.
     *
     * @throws FabricUnavailableException if an address does not resolve or an advertised address is missing
     */
    static SoftDeviceOptions options(FabricProperties.Soft properties) {
        InetAddress bind = resolve("fabric.soft.bind-address", properties.bindAddress());
        String advertised = properties.advertisedAddress();
        if (advertised == null && bind.isAnyLocalAddress()) {
            throw new FabricUnavailableException(
                    "The software device listens on all addresses, so it does not know which one peers can dial.",
                    "Set 'fabric.soft.advertised-address' to an address of this machine that peers reach.",
                    null);
        }
        try {
            return SoftDeviceOptions.builder()
                    .bindAddress(bind)
                    .port(properties.port())
                    .advertisedAddress(
                            advertised == null ? null : resolve("fabric.soft.advertised-address", advertised))
                    .build();
        } catch (IllegalArgumentException ex) {
            throw new FabricUnavailableException(
                    String.valueOf(ex.getMessage()), "Change the properties below 'fabric.soft'.", ex);
        }
    }

    private static InetAddress resolve(String property, String host) {
        try {
            return InetAddress.getByName(PeerAddress.parse(host, 1).host());
        } catch (UnknownHostException ex) {
            throw new FabricUnavailableException(
                    "'" + property + "' is '" + host + "', which has no address.",
                    "Set '" + property + "' to an address of this machine.",
                    ex);
        }
    }

    /** Why peers elsewhere cannot reach the device, or {@code null} when they can or there are none. */
    static @Nullable String loopbackWarning(SoftDeviceOptions options, List<Peer> peers) {
        List<String> remote = peers.stream()
                .filter(peer -> !LoopbackHosts.contains(peer.uri().getHost()))
                .map(Peer::name)
                .toList();
        if (remote.isEmpty() || !options.advertisedAddress().isLoopbackAddress()) {
            return null;
        }
        return "The software device is advertised as "
                + options.advertisedAddress().getHostAddress()
                + ", which peers on other machines (" + String.join(", ", remote)
                + ") cannot reach: set 'fabric.soft.bind-address' and 'fabric.soft.advertised-address'";
    }
}

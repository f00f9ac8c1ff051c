package io.tensorfabric.verbs;

/**
 * State of a port, the fields of {@code struct ibv_port_attr} that the fabric uses.
 *
 * @param state logical state; only {@link PortState#ACTIVE} carries traffic
 * @param linkLayer link layer
 * @param maxMtu largest MTU that the port supports
 * @param activeMtu MTU in use
 * @param lid local identifier, 0 on Ethernet
 * @param gidTableLength length of the GID table, holes included
 * @param maxMessageSize bytes of the largest message
 * @param activeSpeed link speed in bits per second, 0 when the device does not tell
 */
public record PortAttributes(
        PortState state,
        LinkLayer linkLayer,
        Mtu maxMtu,
        Mtu activeMtu,
        int lid,
        int gidTableLength,
        long maxMessageSize,
        long activeSpeed) {}

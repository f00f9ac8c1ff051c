package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.DeviceAttributes;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.GidType;
import io.tensorfabric.verbs.LinkLayer;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.PortAttributes;
import io.tensorfabric.verbs.PortState;
import java.util.ArrayList;
import java.util.List;

/** What an open device tells of itself. Its methods take the context's address, which the caller has entered. */
final class DeviceQueries {

    /** {@code IBV_LINK_LAYER_ETHERNET}. */
    private static final int ETHERNET = 2;

    private final String deviceName;

    /** Found by trying, so kept; -1 until then. */
    private volatile int maxInline = -1;

    DeviceQueries(String deviceName) {
        this.deviceName = deviceName;
    }

    DeviceAttributes device(long context) {
        try (Scratch raw = new Scratch(Layout.DEVICE_SIZE)) {
            Failures.check(NativeVerbs.queryDevice(context, raw.address()), "ibv_query_device", "device " + deviceName);
            return new DeviceAttributes(
                    raw.getText(Layout.DEVICE_FIRMWARE, Layout.FIRMWARE_SIZE),
                    raw.getLong(Layout.DEVICE_NODE_GUID),
                    raw.getInt(Layout.DEVICE_PORT_COUNT),
                    raw.getInt(Layout.DEVICE_MAX_QP),
                    raw.getInt(Layout.DEVICE_MAX_QP_WR),
                    raw.getInt(Layout.DEVICE_MAX_SGE),
                    raw.getInt(Layout.DEVICE_MAX_CQ),
                    raw.getInt(Layout.DEVICE_MAX_CQE),
                    raw.getInt(Layout.DEVICE_MAX_MR),
                    positive(raw.getLong(Layout.DEVICE_MAX_MR_SIZE)),
                    raw.getInt(Layout.DEVICE_MAX_MW),
                    raw.getInt(Layout.DEVICE_WINDOW_TYPE2) != 0,
                    raw.getInt(Layout.DEVICE_MAX_PD),
                    raw.getInt(Layout.DEVICE_MAX_SRQ),
                    raw.getInt(Layout.DEVICE_MAX_SRQ_WR),
                    raw.getInt(Layout.DEVICE_MAX_READS_INITIATOR),
                    raw.getInt(Layout.DEVICE_MAX_READS_TARGET),
                    maxInline(context));
        }
    }

    /** "No limit" is written as all ones. */
    private static long positive(long size) {
        return size < 0 ? Long.MAX_VALUE : size;
    }

    private int maxInline(long context) {
        int known = maxInline;
        if (known < 0) {
            known = (int) Failures.check(
                    NativeVerbs.probeInline(context), "ibv_create_qp", "looking for the inline limit of " + deviceName);
            maxInline = known;
        }
        return known;
    }

    PortAttributes port(long context, int port) {
        try (Scratch raw = new Scratch(Layout.PORT_SIZE)) {
            Failures.check(
                    NativeVerbs.queryPort(context, port, raw.address()),
                    "ibv_query_port",
                    "port " + port + " of device " + deviceName);
            return new PortAttributes(
                    portState(raw.getInt(Layout.PORT_STATE)),
                    raw.getInt(Layout.PORT_LINK_LAYER) == ETHERNET ? LinkLayer.ETHERNET : LinkLayer.INFINIBAND,
                    mtu(raw.getInt(Layout.PORT_MAX_MTU)),
                    mtu(raw.getInt(Layout.PORT_ACTIVE_MTU)),
                    raw.getInt(Layout.PORT_LID),
                    raw.getInt(Layout.PORT_GID_TABLE_LENGTH),
                    Integer.toUnsignedLong(raw.getInt(Layout.PORT_MAX_MESSAGE_SIZE)),
                    LinkSpeed.bitsPerSecond(
                            raw.getInt(Layout.PORT_ACTIVE_WIDTH), raw.getInt(Layout.PORT_ACTIVE_SPEED)));
        }
    }

    private static PortState portState(int code) {
        PortState[] states = PortState.values();
        return code >= 0 && code < states.length ? states[code] : PortState.NOP;
    }

    /** A port that is down may tell no MTU: the smallest then. */
    private static Mtu mtu(int code) {
        return QueuePairCodec.mtu(code).orElse(Mtu.MTU_256);
    }

    List<GidEntry> gids(long context, int port) {
        int length = port(context, port).gidTableLength();
        try (Scratch raw = new Scratch(Math.max(length, 1) * Layout.GID_SIZE)) {
            int count = NativeVerbs.queryGids(context, port, allPortsLength(context), raw.address(), length);
            if (count == -Errno.EOPNOTSUPP.number() || count == -Errno.EIO.number()) {
                return SysfsGidTable.ofSystem(deviceName, port).read(length);
            }
            Failures.check(count, "ibv_query_gid_table", "port " + port + " of device " + deviceName);
            List<GidEntry> entries = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                addEntry(entries, raw, i * Layout.GID_SIZE);
            }
            return entries;
        }
    }

    private static void addEntry(List<GidEntry> entries, Scratch raw, int offset) {
        Gid gid = Gid.of(raw.getBytes(offset + Layout.GID_ADDRESS, Gid.LENGTH));
        int type = raw.getInt(offset + Layout.GID_TYPE);
        if (!gid.isZero() && type >= 0 && type < GidType.values().length) {
            entries.add(new GidEntry(
                    raw.getInt(offset + Layout.GID_INDEX),
                    gid,
                    GidType.values()[type],
                    raw.getText(offset + Layout.GID_NETDEV, Layout.NETDEV_SIZE)));
        }
    }

    private int allPortsLength(long context) {
        int ports;
        try (Scratch raw = new Scratch(Layout.DEVICE_SIZE)) {
            Failures.check(NativeVerbs.queryDevice(context, raw.address()), "ibv_query_device", "device " + deviceName);
            ports = raw.getInt(Layout.DEVICE_PORT_COUNT);
        }
        int length = 0;
        for (int port = 1; port <= ports; port++) {
            length += port(context, port).gidTableLength();
        }
        return length;
    }
}

package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.GidType;
import io.tensorfabric.verbs.LinkLayer;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.PortAttributes;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.VerbsException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The ports of a device and their GID tables. Thread-safe. */
final class Ports {

    private static final int GID_TABLE_LENGTH = 256;

    private final AtomicReferenceArray<PortState> states;

    private final AtomicReferenceArray<List<GidEntry>> gids;

    private final Engine engine;

    Ports(Engine engine, SoftDeviceOptions options) {
        this.engine = engine;
        this.states = new AtomicReferenceArray<>(options.portCount());
        this.gids = new AtomicReferenceArray<>(options.portCount());
        GidEntry entry = new GidEntry(0, Gid.of(options.advertisedAddress()), GidType.ROCE_V2, "");
        for (int i = 0; i < options.portCount(); i++) {
            states.set(i, PortState.ACTIVE);
            gids.set(i, List.of(entry));
        }
    }

    int count() {
        return states.length();
    }

    private int index(int port) {
        if (port < 1 || port > states.length()) {
            throw new VerbsException(
                    "ibv_query_port", Errno.EINVAL, "there is no port " + port + ", only 1 to " + states.length());
        }
        return port - 1;
    }

    PortAttributes query(int port) {
        return new PortAttributes(
                states.get(index(port)),
                LinkLayer.SOFTWARE,
                Mtu.MTU_4096,
                engine.options().mtu(),
                0,
                GID_TABLE_LENGTH,
                Wire.MAX_MESSAGE,
                0);
    }

    List<GidEntry> gids(int port) {
        return gids.get(index(port));
    }

    boolean hasGid(int port, int gidIndex) {
        return gids(port).stream().anyMatch(entry -> entry.index() == gidIndex);
    }

    boolean isActive(int port) {
        return port < 1 || port > states.length() || states.get(port - 1) == PortState.ACTIVE;
    }

    void setState(int port, PortState state) {
        PortState old = states.getAndSet(index(port), state);
        if (old == state) {
            return;
        }
        if (old == PortState.ACTIVE) {
            engine.cutPort(port);
            engine.events().add(AsyncEventType.PORT_ERR, null, port);
        } else if (state == PortState.ACTIVE) {
            engine.events().add(AsyncEventType.PORT_ACTIVE, null, port);
            engine.faultsChanged();
        }
    }

    void setGids(int port, List<GidEntry> entries) {
        List<GidEntry> usable = entries.stream()
                .filter(entry -> !entry.gid().isZero())
                .sorted(Comparator.comparingInt(GidEntry::index))
                .toList();
        gids.set(index(port), usable);
        engine.events().add(AsyncEventType.GID_CHANGE, null, port);
    }
}

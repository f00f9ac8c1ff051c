package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.GidType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A port's GID table as the kernel shows it in files, for a libibverbs or a device that cannot give it at once. An entry
 * whose files cannot be read is a hole, as reading an unused one fails on some drivers.
 */
final class SysfsGidTable {

    private final Path port;

    SysfsGidTable(Path port) {
        this.port = port;
    }

    static SysfsGidTable ofSystem(String device, int port) {
        return new SysfsGidTable(Path.of("/sys/class/infiniband", device, "ports", Integer.toString(port)));
    }

    /** The usable entries among the first {@code length}. */
    List<GidEntry> read(int length) {
        List<GidEntry> entries = new ArrayList<>();
        for (int index = 0; index < length; index++) {
            GidEntry entry = entry(index);
            if (entry != null) {
                entries.add(entry);
            }
        }
        return entries;
    }

    private @Nullable GidEntry entry(int index) {
        String text = text("gids/" + index);
        String type = text("gid_attrs/types/" + index);
        if (text.isEmpty() || type.isEmpty()) {
            return null;
        }
        Gid gid = Gid.parse(text);
        return gid.isZero() ? null : new GidEntry(index, gid, type(type), text("gid_attrs/ndevs/" + index));
    }

    /** The kernel calls both InfiniBand and RoCE v1 "IB/RoCE v1"; an entry of InfiniBand has no network device. */
    private static GidType type(String text) {
        return switch (text) {
            case "RoCE v2" -> GidType.ROCE_V2;
            case "IB/RoCE v1", "RoCE v1" -> GidType.ROCE_V1;
            default -> GidType.INFINIBAND;
        };
    }

    private String text(String file) {
        try {
            return Files.readString(port.resolve(file)).strip();
        } catch (IOException unused) {
            return "";
        }
    }
}

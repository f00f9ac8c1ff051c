package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.GidType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SysfsGidTableTest {

    private static final String ZERO = "0000:0000:0000:0000:0000:0000:0000:0000";

    private static final String MAPPED = "0000:0000:0000:0000:0000:ffff:0a98:000c";

    @TempDir
    private Path port;

    private void put(String file, String text) throws IOException {
        Path path = port.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    @Test
    void whenEntriesAreZeroOrTheirTypeCannotBeReadThenTheyAreLeftOut() throws IOException {
        for (int i = 0; i < 3; i++) {
            put("gids/" + i, ZERO);
        }
        put("gids/3", "fe80:0000:0000:0000:0000:0000:0000:0001");
        put("gids/4", MAPPED);
        put("gid_attrs/types/4", "IB/RoCE v1");
        put("gids/5", MAPPED);
        put("gid_attrs/types/5", "RoCE v2");
        put("gid_attrs/ndevs/5", "eth0");
        assertThat(new SysfsGidTable(port).read(8))
                .containsExactly(
                        new GidEntry(4, Gid.parse(MAPPED), GidType.ROCE_V1, ""),
                        new GidEntry(5, Gid.parse(MAPPED), GidType.ROCE_V2, "eth0"));
    }

    @Test
    void whenThePortHasNoFilesThenTheTableIsEmpty() {
        assertThat(new SysfsGidTable(port.resolve("none")).read(4)).isEmpty();
    }
}

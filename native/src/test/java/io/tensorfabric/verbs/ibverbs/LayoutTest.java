package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Java's idea of the shared structures beside what C's sizeof and offsetof say. */
class LayoutTest {

    @Test
    @EnabledIf(value = "io.tensorfabric.verbs.ibverbs.Shim#present", disabledReason = "the build has no native shim")
    void whenSizesAndOffsetsAreComparedThenEachIsTheSameInC() {
        Shim.load();
        List<Layout.Entry> entries = Layout.entries();
        try (Scratch actual = new Scratch(entries.size() * Integer.BYTES)) {
            assertThat(NativeVerbs.layout(actual.address(), entries.size())).isEqualTo(entries.size());
            for (int i = 0; i < entries.size(); i++) {
                Layout.Entry entry = entries.get(i);
                assertThat(actual.getInt(i * Integer.BYTES)).as(entry.name()).isEqualTo(entry.value());
            }
        }
    }

    @Test
    void whenEntriesAreListedThenNoneIsThereTwice() {
        assertThat(Layout.entries()).extracting(Layout.Entry::name).doesNotHaveDuplicates();
    }
}

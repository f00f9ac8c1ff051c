package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyTableTest {

    private final KeyTable keys = new KeyTable();

    private final Region region = new Region(this, 4096, 4096, 0, null);

    @Test
    void whenPublishedThenOnlyTheExactKeyOfItsKindOpensIt() {
        int key = keys.reserve();
        assertThat(keys.find(key, true)).isNull();
        keys.publish(key, true, region);
        assertThat(keys.find(key, true)).isSameAs(region);
        assertThat(keys.find(key, false)).isNull();
        assertThat(keys.find(key ^ 1, true)).isNull();
        assertThat(keys.find(key ^ 0x100, true)).isNull();
    }

    @Test
    void whenKeysFollowOneAnotherThenNoneTellsOfTheNext() {
        int previous = keys.reserve();
        Set<Integer> differences = new HashSet<>();
        BitSet ones = new BitSet();
        BitSet zeros = new BitSet();
        for (int i = 0; i < 1000; i++) {
            int key = keys.reserve();
            differences.add(key - previous);
            for (int bit = 0; bit < Integer.SIZE; bit++) {
                ((key >>> bit & 1) == 1 ? ones : zeros).set(bit);
            }
            previous = key;
        }
        assertThat(differences).hasSizeGreaterThan(990);
        assertThat(ones.cardinality()).isEqualTo(Integer.SIZE);
        assertThat(zeros.cardinality()).isEqualTo(Integer.SIZE);
    }

    @Test
    void whenManyComeAndGoThenEachIsFoundAndNoIndexReturnsSoon() {
        Set<Integer> indices = new HashSet<>();
        List<Integer> live = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            int key = keys.reserve();
            assertThat(indices.add(key >>> 8)).as("index is new").isTrue();
            keys.publish(key, true, region);
            live.add(key);
            if (i % 3 != 0) {
                int gone = live.remove(i % live.size());
                keys.release(gone);
                assertThat(keys.find(gone, true)).isNull();
            }
        }
        assertThat(live).allSatisfy(key -> assertThat(keys.find(key, true)).isSameAs(region));
    }
}

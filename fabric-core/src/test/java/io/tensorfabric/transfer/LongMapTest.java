package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LongMapTest {

    @Test
    void whenUsedAtRandomThenItBehavesAsAMapDoes() {
        Random random = new Random(7);
        LongMap<String> map = new LongMap<>();
        Map<Long, String> reference = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            long key = random.nextInt(500) - 250;
            if (random.nextInt(3) == 0) {
                assertThat(map.remove(key)).isEqualTo(reference.remove(key));
            } else {
                String value = "v" + i;
                assertThat(map.put(key, value)).isEqualTo(reference.put(key, value));
            }
            assertThat(map.size()).isEqualTo(reference.size());
        }
        for (long key = -250; key < 250; key++) {
            assertThat(map.get(key)).isEqualTo(reference.get(key));
        }
    }
}

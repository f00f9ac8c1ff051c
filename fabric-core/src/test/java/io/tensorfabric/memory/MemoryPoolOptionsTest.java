package io.tensorfabric.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class MemoryPoolOptionsTest {

    private final MemoryPoolOptions defaults = MemoryPoolOptions.defaults();

    @Test
    void defaultsAreThoseOfTheDocumentation() {
        assertThat(defaults).isEqualTo(new MemoryPoolOptions(256L << 20, 1L << 30, 256, Duration.ofSeconds(5)));
    }

    @Test
    void invalidValuesAreNamed() {
        assertThatThrownBy(() -> defaults.withSlabSize(100))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("slab size", "4096", "100");
        assertThatThrownBy(() -> defaults.withMaxBytes(-1)).hasMessageContainingAll("maximum size", "-1");
        assertThatThrownBy(() -> defaults.withMinBlock(100)).hasMessageContainingAll("smallest block", "power of two");
        assertThatThrownBy(() -> defaults.withAcquireTimeout(Duration.ofMillis(-1)))
                .hasMessageContainingAll("acquire timeout", "zero or more");
    }

    @Test
    void sizesAreReadable() {
        assertThat(ByteSizes.format(0)).isEqualTo("0 bytes");
        assertThat(ByteSizes.format(1000)).isEqualTo("1000 bytes");
        assertThat(ByteSizes.format(1536)).isEqualTo("1536 bytes");
        assertThat(ByteSizes.format(3L << 30)).isEqualTo("3 GiB");
    }
}

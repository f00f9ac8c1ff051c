package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteSizeTest {

    @ParameterizedTest
    @CsvSource({"2,2,2B", "64KB,65536,64KB", "1024KB,1048576,1MB", "3GB,3221225472,3GB", "1000,1000,1000B"})
    void whenASizeIsReadThenItIsBytesAndPrintsShort(String text, long bytes, String printed) {
        assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
        assertThat(ByteSize.parse(text)).hasToString(printed);
    }

    @Test
    void whenItIsNoSizeThenTheMessageShowsOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ByteSize.parse("-4K"))
                .withMessageContaining("such as 64KB")
                .withMessageContaining("-4K");
    }
}

package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SoftAddressTest {

    private static final String SECRET = "ab".repeat(SoftAddress.SECRET_LENGTH);

    @ParameterizedTest
    @ValueSource(strings = {"soft:127.0.0.1:4242:", "soft:[0:0:0:0:0:0:0:1]:1:", "soft:[fd93:0:0:0:0:0:0:1]:65535:"})
    void whenFormattedThenItIsReadBack(String prefix) {
        assertThat(SoftAddress.parse(prefix + SECRET).format()).isEqualTo(prefix + SECRET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "soft:",
                "soft::1:",
                "soft:127.0.0.1:",
                "soft:127.0.0.1:0:",
                "soft:127.0.0.1:65536:",
                "soft:127.0.0.1:x:",
                "soft:127.0.0.1.:1:",
                "soft:node-a:1:",
                "soft:::1:1:",
                "soft:[::1:1:",
                "hard:127.0.0.1:1:"
            })
    void whenMalformedThenItIsRefusedWithoutTheSecret(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SoftAddress.parse(prefix + SECRET))
                .withMessageNotContaining(SECRET);
    }

    @Test
    void whenTheSecretIsShortThenItIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> SoftAddress.parse("soft:127.0.0.1:1:abcd"));
        assertThatIllegalArgumentException().isThrownBy(() -> SoftAddress.parse("soft:127.0.0.1:1:xy"));
    }
}

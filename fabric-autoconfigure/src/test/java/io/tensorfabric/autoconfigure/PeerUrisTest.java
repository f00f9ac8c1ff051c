package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeerUrisTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.5:8080, https://10.0.0.5:8080",
        "10.0.0.5, https://10.0.0.5:8080",
        "node-a:8080, https://node-a:8080",
        "[2001:db8::1]:9000, https://[2001:db8::1]:9000",
        "2001:db8::1, https://[2001:db8::1]:8080",
        "[::1], http://[::1]:8080",
        "::1, http://[::1]:8080",
        "[fe80::1%eth0]:9000, https://[fe80::1%eth0]:9000",
        "localhost:9000, http://localhost:9000",
        "127.0.0.1, http://127.0.0.1:8080"
    })
    void whenAnAddressIsGivenThenItBecomesAUrl(String text, String url) {
        assertThat(PeerUris.parse(text, false)).hasToString(url);
    }

    @Test
    void whenPlaintextIsAllowedThenAnAddressMeansHttp() {
        assertThat(PeerUris.parse("node-a:8080", true)).isEqualTo(URI.create("http://node-a:8080"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[2001:db8::1", "host:99999", "host:", "", "http://", "http:///path", "https://a b"})
    void whenAnAddressIsBrokenThenItIsRefusedWithTheProperty(String text) {
        assertThatThrownBy(() -> PeerUris.parse(text, false)).hasMessageContaining("fabric.peers[].url");
    }
}

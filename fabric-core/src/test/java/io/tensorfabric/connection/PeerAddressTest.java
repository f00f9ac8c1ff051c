package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeerAddressTest {

    private static final int DEFAULT = 4242;

    @ParameterizedTest
    @CsvSource({
        "10.0.0.5:8080, 10.0.0.5, 8080",
        "10.0.0.5, 10.0.0.5, 4242",
        "node-a:8080, node-a, 8080",
        "node_b.example.org, node_b.example.org, 4242",
        "[2001:db8::1]:9000, 2001:db8::1, 9000",
        "2001:db8::1, 2001:db8::1, 4242",
        "[::1], ::1, 4242",
        "::1, ::1, 4242",
        "[fe80::1%eth0]:9000, fe80::1%eth0, 9000",
    })
    void whenAnAddressIsWellFormedThenItIsSplit(String text, String host, int port) {
        assertThat(PeerAddress.parse(text, DEFAULT)).isEqualTo(new PeerAddress(host, port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[2001:db8::1",
                "host:99999",
                "host:",
                "",
                ":80",
                "host:0",
                "[host]:80",
                "[::1]80",
                "[::1]:",
                "a b",
                "host:80x",
                "-x",
                "2001:db8::1]:80",
                "[]"
            })
    void whenAnAddressIsMalformedThenItIsRefused(String text) {
        assertThatThrownBy(() -> PeerAddress.parse(text, DEFAULT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[2001:db8::1]:9000", "node-a:8080"})
    void whenPrintedThenItReadsBack(String text) {
        PeerAddress address = PeerAddress.parse(text, DEFAULT);
        assertThat(address).hasToString(text);
        assertThat(PeerAddress.parse(address.toString(), DEFAULT)).isEqualTo(address);
    }
}

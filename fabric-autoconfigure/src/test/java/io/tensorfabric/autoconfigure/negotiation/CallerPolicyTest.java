package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;

class CallerPolicyTest {

    private static final String SECRET = "fabric.security.shared-secret=" + RawCalls.SECRET;

    private static final String PLAINTEXT = "fabric.security.allow-plaintext=true";

    private static void check(boolean loopback, boolean secure, String... properties) {
        Call call = new Call(
                "GET", "/node", null, new byte[0], name -> null, new Call.Caller("10.0.0.9", loopback, secure, null));
        new CallerPolicy(Clients.properties(properties).security()).check(call, new RefusalLog());
    }

    @Test
    void whenThereIsNoSecretThenOnlyThisMachineMayCall() {
        check(true, false);
        assertThatThrownBy(() -> check(false, false)).hasMessageContaining("its own machine");
        assertThatThrownBy(() -> check(false, true)).hasMessageContaining("its own machine");
        assertThatThrownBy(() -> check(false, false, PLAINTEXT)).hasMessageContaining("its own machine");
    }

    @Test
    void whenCertificatesProveCallersThenTheyNeedNoSecretButTls() {
        check(false, true, "fabric.security.mutual-tls=true");
        assertThatThrownBy(() -> check(false, false, "fabric.security.mutual-tls=true"))
                .hasMessageContaining("TLS");
    }

    @Test
    void whenThereIsASecretThenStrangersNeedTlsUnlessPlaintextIsAllowed() {
        check(true, false, SECRET);
        check(false, true, SECRET);
        check(false, false, SECRET, PLAINTEXT);
        assertThatThrownBy(() -> check(false, false, SECRET)).hasMessageContaining("TLS");
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, true",
        "127.8.9.1, true",
        "0:0:0:0:0:0:0:1, true",
        "::1, true",
        "0:0:0:0:0:0:0:1%lo, true",
        "::ffff:127.0.0.1, true",
        "10.0.0.1, false",
        "127.0.0.1.evil.example, false",
        "::2, false",
        "fe80::1%eth0, false"
    })
    void whenAnAddressIsLoopbackThenItIsKnown(String address, boolean loopback) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr(address);
        assertThat(CallerInspector.inspect(request).loopback()).isEqualTo(loopback);
    }

    @Test
    void whenTomcatReplacedTheAddressThenItIsNotLocal() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr("127.0.0.1");
        request.setAttribute("org.apache.tomcat.request.forwarded", true);
        assertThat(CallerInspector.inspect(request).loopback()).isFalse();
    }
}

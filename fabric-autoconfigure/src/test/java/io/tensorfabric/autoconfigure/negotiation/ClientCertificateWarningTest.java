package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

@ExtendWith(OutputCaptureExtension.class)
class ClientCertificateWarningTest {

    @Test
    void whenCertificatesAreNeededAndNobodyAsksForThemThenTheStartSaysSo(CapturedOutput output) {
        try (NegotiationServer server = NegotiationServer.start("responder", "fabric.security.mutual-tls=true")) {
            assertThat(server.port()).isPositive();
            assertThat(output)
                    .contains("'fabric.security.mutual-tls' is true, but 'server.ssl.client-auth' is none")
                    .contains("server.ssl.bundle");
        }
    }

    @Test
    void whenCertificatesAreNotNeededThenThereIsNoWarning(CapturedOutput output) {
        try (NegotiationServer server = NegotiationServer.start("responder")) {
            assertThat(server.port()).isPositive();
            assertThat(output).doesNotContain("client-auth");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"want", "need", "NEED"})
    void whenTheWebServerAsksForThemThenThereIsNoWarning(String value, CapturedOutput output) {
        new ClientCertificateWarning(new MockEnvironment().withProperty("server.ssl.client-auth", value))
                .afterSingletonsInstantiated();
        assertThat(output).doesNotContain("client-auth");
    }
}

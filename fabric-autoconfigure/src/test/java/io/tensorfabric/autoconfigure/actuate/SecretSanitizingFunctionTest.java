package io.tensorfabric.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.SanitizableData;

class SecretSanitizingFunctionTest {

    private static final String SECRET = "0123456789abcdef";

    @ParameterizedTest
    @CsvSource({
        "fabric.security.shared-secret, anything, true",
        "fabric.security.sharedSecret, anything, true",
        "FABRIC_SECURITY_SHAREDSECRET, anything, true",
        "FABRIC_SECURITY_SHARED_SECRET, anything, true",
        "SPRING_APPLICATION_JSON, {x:'0123456789abcdef'}, true",
        "sun.java.command, app --fabric.security.shared-secret=0123456789abcdef, true",
        "spring.ssl.bundle.jks.node.keystore.password, changeit, true",
        "spring.ssl.bundle.pem.node.keystore.private-key, PEM, true",
        "SPRING_SSL_BUNDLE_JKS_NODE_KEY_PASSWORD, changeit, true",
        "server.ssl.key-store-password, changeit, true",
        "spring.ssl.bundle.jks.node.keystore.location, file:node.p12, false",
        "fabric.security.clock-skew, 30s, false",
        "server.port, 8080, false"
    })
    void whenAValueHoldsTheSecretThenItIsHidden(String key, String value, boolean hidden) {
        SanitizableData data = new SecretSanitizingFunction(SECRET).apply(new SanitizableData(null, key, value));
        assertThat(data.getValue()).isEqualTo(hidden ? SanitizableData.SANITIZED_VALUE : value);
    }
}

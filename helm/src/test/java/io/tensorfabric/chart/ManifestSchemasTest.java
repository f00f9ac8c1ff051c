package io.tensorfabric.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds the check itself: what it lets through is worth nothing unless it refuses the rest. */
class ManifestSchemasTest {

    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata: {name: a, labels: {x: "1"}}
            spec: {clusterIP: None, ports: [{name: http, port: 80, targetPort: http}]}
            """;

    private static final String STATEFUL_SET = """
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: a}
            spec:
              serviceName: a
              replicas: 2
              selector: {matchLabels: {a: b}}
              template:
                metadata: {labels: {a: b}}
                spec:
                  containers: [{name: c, image: i, resources: {limits: {cpu: "1"}}}]
            """;

    private static final String MONITOR = """
            apiVersion: monitoring.coreos.com/v1
            kind: ServiceMonitor
            metadata: {name: a}
            spec: {selector: {matchLabels: {a: b}}, endpoints: [{port: http, interval: 15s}]}
            """;

    private static final String CERTIFICATE = """
            apiVersion: cert-manager.io/v1
            kind: Certificate
            metadata: {name: a}
            spec: {secretName: s, dnsNames: [a], issuerRef: {name: ca, kind: Issuer}}
            """;

    private static String template(String kind) {
        return switch (kind) {
            case "Service" -> SERVICE;
            case "StatefulSet" -> STATEFUL_SET;
            case "ServiceMonitor" -> MONITOR;
            case "Certificate" -> CERTIFICATE;
            default -> throw new IllegalArgumentException(kind);
        };
    }

    @ParameterizedTest
    @CsvSource({"Service", "StatefulSet", "ServiceMonitor", "Certificate"})
    void whenAnObjectIsRightThenNothingIsFound(String kind) throws IOException {
        assertThat(ManifestSchemas.faults(new Manifest(Chart.parse(template(kind)), "")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "Service; clusterIP: None; clusterIp: None; clusterIp",
                "Service; port: 80; port: eighty; eighty",
                "Service; port: 80; prot: 80; prot",
                "Service; x: \"1\"; x: 1; /metadata/labels/x",
                "Service; kind: Service; kind: Serviec; Serviec",
                "Service; apiVersion: v1; apiVersion: v3; v3",
                "StatefulSet; selector: {matchLabels; selektor: {matchLabels; sele",
                "StatefulSet; replicas: 2; replicas: two; two",
                "StatefulSet; name: c; nam: c; nam",
                "StatefulSet; image: i; imagePolicy: i; imagePolicy",
                "StatefulSet; cpu: \"1\"; cpu: [1]; limits",
                "ServiceMonitor; port: http; ports: http; ports",
                "ServiceMonitor; interval: 15s; interval: 15; String",
                "ServiceMonitor; endpoints; endpoint; endpoint",
                "Certificate; secretName: s; dnsName: s; dnsName",
                "Certificate; issuerRef: {name: ca; issuerRef: {nam: ca; nam",
                "Certificate; secretName: s,; ; secretName",
            })
    void whenAFieldIsWrongThenItIsNamed(String kind, String right, String wrong, String named) throws IOException {
        String text = template(kind);
        assertThat(text).contains(right);
        Manifest manifest = new Manifest(Chart.parse(text.replace(right, wrong == null ? "" : wrong)), "");
        assertThat(ManifestSchemas.faults(manifest)).singleElement().asString().contains(named);
    }
}

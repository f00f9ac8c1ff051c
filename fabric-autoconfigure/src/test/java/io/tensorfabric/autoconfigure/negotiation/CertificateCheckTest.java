package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.autoconfigure.PropertiesPeerPolicy;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateCheckTest {

    private static final char[] PASSWORD = "changeit".toCharArray();

    private static final CertificateCheck CHECK = new CertificateCheck(new PropertiesPeerPolicy(List.of()));

    private static X509Certificate certificate(Path folder, String... more) throws Exception {
        Path store = folder.resolve("store-" + more.length + more[more.length - 1].hashCode() + ".p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "node",
                "-keyalg",
                "EC",
                "-dname",
                "CN=common, OU=alternative, O=x",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD)));
        command.addAll(List.of(more));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes());
        assertThat(keytool.waitFor()).as(output).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        return (X509Certificate) keys.getCertificate("node");
    }

    private static void verify(@Nullable X509Certificate certificate, String node) {
        CHECK.verify(
                new Call(
                        "GET",
                        "/node",
                        null,
                        new byte[0],
                        name -> name.equals("Fabric-Node") ? node : null,
                        new Call.Caller("10.0.0.9", false, true, certificate)),
                new RefusalLog());
    }

    private static void assertRefused(@Nullable X509Certificate certificate, String node, int status) {
        assertThatThrownBy(() -> verify(certificate, node))
                .isInstanceOfSatisfying(
                        NegotiationProblem.class, e -> assertThat(e.status()).isEqualTo(status));
    }

    @Test
    void whenThereAreAlternativeNamesThenTheyCountAndNotTheCommonName(@TempDir Path folder) throws Exception {
        X509Certificate certificate = certificate(
                folder,
                "-validity",
                "2",
                "-ext",
                "SAN=dns:alternative,uri:spiffe://example/node,ip:10.0.0.1,email:someone@example.org");
        verify(certificate, "alternative");
        verify(certificate, "spiffe://example/node");
        assertRefused(certificate, "common", 403);
        assertRefused(certificate, "10.0.0.1", 403);
        assertRefused(certificate, "someone@example.org", 403);
        assertRefused(certificate, "", 403);
    }

    @Test
    void whenThereAreNoneThenTheCommonNameCounts(@TempDir Path folder) throws Exception {
        X509Certificate certificate = certificate(folder, "-validity", "2");
        verify(certificate, "common");
        assertRefused(certificate, "alternative", 403);
        assertRefused(certificate, "x", 403);
    }

    @Test
    void whenItIsOutOfDateOrMissingThenItIsRefused(@TempDir Path folder) throws Exception {
        assertRefused(certificate(folder, "-validity", "1", "-startdate", "-3d"), "common", 403);
        assertRefused(null, "common", 401);
    }
}

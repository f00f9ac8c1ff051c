package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** Self-signed certificates for tests, made by keytool in PKCS12 stores. */
final class Certificates {

    static final String PASSWORD = "changeit";

    private final Path folder;

    Certificates(Path folder) {
        this.folder = folder;
    }

    /** A store with a key for localhost and a further DNS name. */
    Path keyStore(String name, String dnsName) throws Exception {
        Path store = folder.resolve(name + ".p12");
        keytool(
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1,dns:" + dnsName,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD);
        return store;
    }

    /** A store that trusts the certificates of other stores, each made under its file's name. */
    Path trustStore(String name, Path... trusted) throws Exception {
        Path store = folder.resolve(name + "-trust.p12");
        for (Path each : trusted) {
            String alias = each.getFileName().toString().replace(".p12", "");
            Path certificate = folder.resolve(alias + ".crt");
            keytool(
                    "-exportcert",
                    "-alias",
                    alias,
                    "-keystore",
                    each.toString(),
                    "-storepass",
                    PASSWORD,
                    "-file",
                    certificate.toString());
            keytool(
                    "-importcert",
                    "-noprompt",
                    "-alias",
                    alias,
                    "-storetype",
                    "PKCS12",
                    "-keystore",
                    store.toString(),
                    "-storepass",
                    PASSWORD,
                    "-file",
                    certificate.toString());
        }
        return store;
    }

    /** Puts a store into the place of another one, at once. */
    static void replace(Path store, Path by) throws IOException {
        Path copy = Files.copy(by, store.resolveSibling("next"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(copy, store, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
    }
}

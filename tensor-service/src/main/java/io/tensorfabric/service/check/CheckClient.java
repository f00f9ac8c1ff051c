package io.tensorfabric.service.check;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls services until a deadline. */
final class CheckClient {

    private static final JsonMapper json = JsonMapper.shared();

    private final HttpClient http;

    private final long deadline;

    CheckClient(@Nullable Path ca, Duration timeout) throws IOException, CheckFailure {
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(timeout);
        if (ca != null) {
            builder.sslContext(trusting(ca));
        }
        this.http = builder.build();
        this.deadline = System.nanoTime() + timeout.toNanos();
    }

    private static SSLContext trusting(Path ca) throws IOException, CheckFailure {
        try (InputStream in = Files.newInputStream(ca)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca-" + number++, certificate);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new CheckFailure(ca + " holds no certificates that can be used: " + e.getMessage());
        }
    }

    boolean timeIsUp() {
        return remaining().isNegative();
    }

    private Duration remaining() {
        return Duration.ofNanos(deadline - System.nanoTime());
    }

    /** An answer of any status. */
    @SuppressWarnings("ArrayRecordComponent") // read by whoever asked, never compared
    record Answer(int status, byte[] body) {

        boolean isGood() {
            return status / 100 == 2;
        }

        JsonNode json() throws CheckFailure {
            try {
                return json.readTree(body);
            } catch (JacksonException e) {
                throw new CheckFailure("an answer is no JSON: " + e.getOriginalMessage());
            }
        }
    }

    Answer get(URI base, String path) throws InterruptedException, CheckFailure {
        return call(request(base, path).GET());
    }

    Answer post(URI base, String path, String type, byte[] body) throws InterruptedException, CheckFailure {
        return call(
                request(base, path).header("Content-Type", type).POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    Answer delete(URI base, String path) throws InterruptedException, CheckFailure {
        return call(request(base, path).DELETE());
    }

    private HttpRequest.Builder request(URI base, String path) throws CheckFailure {
        Duration left = remaining();
        if (left.isNegative() || left.isZero()) {
            throw new CheckFailure("the time is up");
        }
        return HttpRequest.newBuilder(base.resolve(path)).timeout(left);
    }

    private Answer call(HttpRequest.Builder builder) throws InterruptedException, CheckFailure {
        HttpRequest request = builder.build();
        try {
            HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new CheckFailure(request.uri() + " does not answer: "
                    + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()));
        }
    }
}

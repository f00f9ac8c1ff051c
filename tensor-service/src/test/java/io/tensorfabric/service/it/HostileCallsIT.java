package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Absurd calls to a service with a small heap: each is refused at once, and none costs memory that stays taken. */
@Timeout(300)
class HostileCallsIT {

    private static final String NEGOTIATION = "/fabric/v1/connections";

    private static final String UPLOAD = "/api/files?name=f";

    private static final String JSON = "application/json";

    private static final String BINARY = "application/octet-stream";

    private static final long HUNDRED_MEGABYTES = 100_000_000;

    private static final int MILLION = 1_000_000;

    /** The fastest of some counts: the machine has other work. */
    private static final int ATTEMPTS = 3;

    private static final Duration LIMIT = Duration.ofSeconds(1);

    @TempDir
    Path folder;

    /**
     * A call, of which no more is sent than the service takes.
     *
     * @param piece what is sent over and over until {@code length} bytes went out or the answer is there
     */
    private record Attack(
            String what, String path, String type, long length, byte[] head, byte[] piece, boolean chunked) {

        static Attack whole(String what, String path, String type, byte[] body) {
            return new Attack(what, path, type, body.length, body, new byte[0], false);
        }
    }

    private static List<Attack> attacks() {
        byte[] filler = " ".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);
        byte[] descriptor = "{\"name\":\"t\",\"dtype\":\"F32\",\"shape\":[1]},".getBytes(StandardCharsets.US_ASCII);
        byte[] open = "[".getBytes(StandardCharsets.US_ASCII);
        byte[] deep = "{\"a\":[".repeat(5000).getBytes(StandardCharsets.US_ASCII);
        String huge = "{\"t\":{\"dtype\":\"U8\",\"shape\":[2147483648,2147483648,2147483648],\"data_offsets\":[0,4]}}";
        String long62 = "{\"t\":{\"dtype\":\"U8\",\"shape\":[4611686018427387904],"
                + "\"data_offsets\":[0,4611686018427387904]}}";
        String name = "{\"" + "n".repeat(1 << 20) + "\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}";
        long million = (long) MILLION * descriptor.length;
        return List.of(
                new Attack("100 MB", NEGOTIATION, JSON, HUNDRED_MEGABYTES, open, filler, false),
                new Attack("100 MB without a length", NEGOTIATION, JSON, HUNDRED_MEGABYTES, open, filler, true),
                new Attack("a million descriptors", NEGOTIATION, JSON, million, open, descriptor, false),
                Attack.whole("5000-deep JSON", NEGOTIATION, JSON, deep),
                Attack.whole("5000-deep JSON", "/api/files/none/push", JSON, deep),
                new Attack("100 MB", "/api/files/none/push", JSON, HUNDRED_MEGABYTES, open, filler, false),
                new Attack("a header of 100 MB", UPLOAD, BINARY, HUNDRED_MEGABYTES, prefix(99_999_999), filler, false),
                new Attack("a header of 100 MB", UPLOAD, BINARY, HUNDRED_MEGABYTES, prefix(99_999_999), filler, true),
                new Attack("a header of 2^62 bytes", UPLOAD, BINARY, HUNDRED_MEGABYTES, prefix(1L << 62), filler, true),
                Attack.whole("a wrapping shape", UPLOAD, BINARY, file(huge)),
                Attack.whole("2^62 bytes", UPLOAD, BINARY, file(long62)),
                Attack.whole("a name of 1 MB", UPLOAD, BINARY, file(name)));
    }

    private static byte[] prefix(long headerLength) {
        return ByteBuffer.allocate(Long.BYTES + 1)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(headerLength)
                .put((byte) '{')
                .array();
    }

    private static byte[] file(String header) {
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Long.BYTES + text.length + 4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(text.length)
                .put(text)
                .array();
    }

    @Test
    void whenCallsAreAbsurdThenEachIsRefusedAtOnceAndTheSmallHeapAndThePoolStayAsTheyWere() throws Exception {
        try (ServiceProcess service = ServiceProcess.start(
                folder, "b", "-Xmx128m", "-XX:+ExitOnOutOfMemoryError", "--fabric.security.shared-secret=")) {
            long poolBefore = meter(service, "fabric.pool.used");
            List<String> slow = new ArrayList<>();
            for (Attack attack : attacks()) {
                Duration fastest = Duration.ofDays(1);
                for (int i = 0; i < ATTEMPTS && fastest.compareTo(LIMIT) > 0; i++) {
                    long begin = System.nanoTime();
                    String answer = send(service, attack);
                    Duration time = Duration.ofNanos(System.nanoTime() - begin);
                    fastest = time.compareTo(fastest) < 0 ? time : fastest;
                    assertThat(answer)
                            .as("%s to %s", attack.what(), attack.path())
                            .containsPattern("^HTTP/1\\.1 (400|404|413|415|507) ");
                }
                System.out.println(attack.what() + " to " + attack.path() + ": " + fastest.toMillis() + " ms");
                if (fastest.compareTo(LIMIT) > 0) {
                    slow.add(attack.what() + ": " + fastest);
                }
            }
            assertThat(slow).isEmpty();
            await().untilAsserted(
                            () -> assertThat(meter(service, "fabric.pool.used")).isEqualTo(poolBefore));
            assertThat(service.get("/api/files")).isEmpty();
            assertThat(service.isAlive()).isTrue();
            assertThat(service.log()).doesNotContain("OutOfMemoryError");
        }
    }

    private static long meter(ServiceProcess service, String name) throws IOException, InterruptedException {
        JsonNode answer = service.get("/actuator/metrics/" + name);
        return answer.at("/measurements/0/value").asLong();
    }

    /** Sends until the service answers or breaks off, and returns the answer. */
    private static String send(ServiceProcess service, Attack attack) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", service.port())) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            String length = attack.chunked() ? "Transfer-Encoding: chunked" : "Content-Length: " + attack.length();
            out.write(("POST " + attack.path() + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
                            + attack.type() + "\r\n" + length + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            try {
                write(out, attack, attack.head());
                long sent = attack.head().length;
                while (sent < attack.length() && socket.getInputStream().available() == 0) {
                    int next = (int) Math.min(attack.piece().length, attack.length() - sent);
                    write(out, attack, next == attack.piece().length ? attack.piece() : new byte[next]);
                    sent += next;
                }
            } catch (SocketException e) {
                // The service has closed the connection; what it said before is still to be read.
            }
            return firstLine(socket);
        }
    }

    private static void write(OutputStream out, Attack attack, byte[] bytes) throws IOException {
        if (attack.chunked()) {
            out.write((Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        }
        out.write(bytes);
        if (attack.chunked()) {
            out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static String firstLine(Socket socket) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = socket.getInputStream().read();
                next > '\r';
                next = socket.getInputStream().read()) {
            line.append((char) next);
        }
        return line.toString();
    }
}

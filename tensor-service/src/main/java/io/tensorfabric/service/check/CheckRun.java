package io.tensorfabric.service.check;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One check. */
final class CheckRun {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final byte[] EMPTY_OBJECT = {'{', '}'};

    private static final int NOT_FOUND = 404;

    private static final int GATEWAY = 502;

    private final CheckOptions options;

    private final CheckClient client;

    private final PrintStream out;

    CheckRun(CheckOptions options, CheckClient client, PrintStream out) {
        this.options = options;
        this.client = client;
        this.out = out;
    }

    void execute() throws CheckFailure, InterruptedException {
        switch (options.kind()) {
            case HEALTH -> health();
            case ACTUATOR -> actuator();
            case PREFLIGHT -> preflight();
            case HANDSHAKE -> handshake();
            case PUSH -> push();
        }
    }

    private void health() throws CheckFailure, InterruptedException {
        for (String path : new String[] {"/actuator/health/liveness", "/actuator/health/readiness"}) {
            CheckClient.Answer answer = client.get(options.management(), path);
            if (!answer.isGood()) {
                throw new CheckFailure(path + " answers " + answer.status() + ": " + text(answer));
            }
        }
        out.println("ok: alive and ready");
    }

    private void actuator() throws CheckFailure, InterruptedException {
        health();
        JsonNode fabric = client.get(options.management(), "/actuator/fabric").json();
        if (!fabric.path("running").asBoolean()) {
            throw new CheckFailure("the fabric does not run: " + fabric);
        }
        out.println("ok: node " + fabric.path("nodeId").asString() + " runs on "
                + fabric.at("/provider/name").asString() + ", because "
                + fabric.at("/provider/reason").asString());
        fabric.path("warnings").forEach(warning -> out.println("warning: " + warning.asString()));
        CheckClient.Answer meters = client.get(options.management(), "/actuator/prometheus");
        if (!text(meters).contains("fabric_qp_count")) {
            throw new CheckFailure("/actuator/prometheus has no meters of the fabric");
        }
        out.println("ok: meters are there");
    }

    /** The service does all of it, and answers in good time. */
    private void preflight() throws CheckFailure, InterruptedException {
        awaitPeer();
        String peer = URLEncoder.encode(Objects.requireNonNull(options.peer()), StandardCharsets.UTF_8)
                .replace("+", "%20");
        JsonNode report = good(client.post(
                        options.management(), "/actuator/fabric/preflight/" + peer, "application/json", EMPTY_OBJECT))
                .json();
        report.path("text").forEach(line -> out.println(line.asString()));
        for (String part : new String[] {"environment", "ladder"}) {
            for (JsonNode step : report.path(part)) {
                if (step.path("outcome").asString().equals("FAIL")) {
                    throw new CheckFailure(explained(step));
                }
            }
        }
        if (report.path("ladder").isEmpty()) {
            throw new CheckFailure("the answer holds no ladder: " + report);
        }
    }

    /** Which step, why, and what to do. */
    private static String explained(JsonNode step) {
        String remedy = step.path("remedy").asString("");
        return "the step '" + step.path("name").asString() + "': "
                + step.path("detail").asString() + (remedy.isEmpty() ? "" : " -> " + remedy);
    }

    /** A service that has just started hears of its peers a moment later; the preflight tells if it never does. */
    private void awaitPeer() throws CheckFailure, InterruptedException {
        long end = System.nanoTime() + options.discovery().toNanos();
        while (System.nanoTime() - end < 0 && !isKnown()) {
            Thread.sleep(PAUSE.toMillis());
        }
    }

    private boolean isKnown() throws CheckFailure, InterruptedException {
        for (JsonNode peer : good(client.get(options.management(), "/actuator/fabric/peers"))
                .json()
                .path("peers")) {
            if (peer.path("name").asString().equals(options.peer())) {
                return true;
            }
        }
        return false;
    }

    private void handshake() throws CheckFailure, InterruptedException {
        delete(url(), pushOneByte("handshake").file());
        JsonNode pairs =
                client.get(options.management(), "/actuator/queuepairs").json();
        for (JsonNode connection : pairs.path("connections")) {
            if (connection.path("peer").asString().equals(options.peer())
                    && connection.path("state").asString().equals("UP")) {
                for (JsonNode lane : connection.path("lanes")) {
                    if (!lane.path("state").asString().equals("RTS")
                            || !lane.path("peerState").asString().equals("RTS")) {
                        throw new CheckFailure("lane " + lane.path("lane") + " is " + lane.path("state") + " here and "
                                + lane.path("peerState") + " at the peer, both should be RTS");
                    }
                }
                out.println("ok: " + connection.path("lanes").size() + " queue pairs with " + options.peer()
                        + " are RTS at both ends, mtu " + connection.path("mtu"));
                return;
            }
        }
        throw new CheckFailure("there is no connection with " + options.peer() + " that is UP; failed negotiations: "
                + pairs.path("failedNegotiations"));
    }

    /**
     * What was pushed.
     *
     * @param file its id here
     * @param name its name, here and at the peer
     * @param value the byte
     */
    private record Pushed(String file, String name, byte value) {}

    private Pushed pushOneByte(String what) throws CheckFailure, InterruptedException {
        String name = "check-" + what + "-" + UUID.randomUUID();
        byte value = (byte) ThreadLocalRandom.current().nextInt(1, 128);
        CheckClient.Answer upload =
                good(client.post(url(), "/api/files?name=" + name, "application/octet-stream", oneByte(value)));
        String file = upload.json().at("/file/id").asString();
        byte[] body = JsonMapper.shared()
                .writeValueAsBytes(JsonMapper.shared()
                        .createObjectNode()
                        .put("peer", options.peer())
                        .put("deadline", "10s"));
        CheckClient.Answer push =
                client.post(url(), "/api/files/" + file + "/push?wait=true", "application/json", body);
        // Peers need a moment to find each other, and to start.
        while ((push.status() == NOT_FOUND || push.status() >= GATEWAY) && !client.timeIsUp()) {
            Thread.sleep(PAUSE.toMillis());
            push = client.post(url(), "/api/files/" + file + "/push?wait=true", "application/json", body);
        }
        good(push);
        return new Pushed(file, name, value);
    }

    private void push() throws CheckFailure, InterruptedException {
        Pushed pushed = pushOneByte("push");
        URI peer = Objects.requireNonNull(options.peerUrl());
        for (JsonNode file : good(client.get(peer, "/api/files")).json()) {
            if (file.path("name").asString().equals(pushed.name())) {
                String id = file.path("id").asString();
                byte[] content =
                        good(client.get(peer, "/api/files/" + id + "/content")).body();
                delete(peer, id);
                delete(url(), pushed.file());
                if (content[content.length - 1] != pushed.value()) {
                    throw new CheckFailure("another byte arrived at " + options.peer());
                }
                out.println("ok: one byte arrived at " + options.peer() + " from "
                        + file.path("peer").asString());
                return;
            }
        }
        throw new CheckFailure("the push succeeded, but nothing is at " + peer);
    }

    private URI url() {
        return Objects.requireNonNull(options.url());
    }

    private void delete(URI base, String file) throws CheckFailure, InterruptedException {
        good(client.delete(base, "/api/files/" + file));
    }

    private static CheckClient.Answer good(CheckClient.Answer answer) throws CheckFailure {
        if (!answer.isGood()) {
            throw new CheckFailure("answered " + answer.status() + ": " + text(answer));
        }
        return answer;
    }

    private static String text(CheckClient.Answer answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    /** A safetensors file. */
    private static byte[] oneByte(byte value) {
        byte[] header = "{\"check\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}"
                .getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length)
                .array());
        file.writeBytes(header);
        file.write(value);
        return file.toByteArray();
    }
}

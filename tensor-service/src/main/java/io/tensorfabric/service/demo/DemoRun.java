package io.tensorfabric.service.demo;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** The steps of the demo. */
final class DemoRun {

    private static final Duration POLL = Duration.ofMillis(100);

    private static final Duration REPORT = Duration.ofSeconds(1);

    private static final int BUFFER = 1 << 20;

    private final ServiceClient a;

    private final ServiceClient b;

    private final String peer;

    private final Duration deadline;

    private final PrintStream out;

    DemoRun(ServiceClient a, ServiceClient b, String peer, Duration deadline, PrintStream out) {
        this.a = a;
        this.b = b;
        this.peer = peer;
        this.deadline = deadline;
        this.out = out;
    }

    DemoResult execute(DemoFile file) throws IOException, InterruptedException {
        out.printf(Locale.ROOT, "uploading %s (%d bytes) to service A%n", file.name(), file.size());
        String source = a.upload(file, deadline);
        JsonNode push = push(source);
        String copy = copyAtReceiver(file.name());
        out.println("downloading from service B and comparing SHA-256");
        int tensors = compare(file, copy);
        return new DemoResult(push, tensors, push.get("bytes").asLong());
    }

    private JsonNode push(String source) throws IOException, InterruptedException {
        JsonNode push = a.push(source, peer, deadline);
        String path = "/api/pushes/" + push.get("id").asString();
        long reported = System.nanoTime();
        while (push.get("state").asString().equals("RUNNING")) {
            Thread.sleep(POLL.toMillis());
            push = a.get(path);
            if (System.nanoTime() - reported >= REPORT.toNanos()) {
                progress(push);
                reported = System.nanoTime();
            }
        }
        progress(push);
        if (!push.get("state").asString().equals("DONE")) {
            throw new DemoFailure("the push failed: " + push.get("error").asString());
        }
        return push;
    }

    private void progress(JsonNode push) {
        long bytes = push.get("bytes").asLong();
        long done = push.get("bytesDone").asLong();
        out.printf(
                Locale.ROOT,
                "pushing to service B: %d of %d tensors, %d of %d bytes (%d %%)%n",
                push.get("tensorsDone").asInt(),
                push.get("tensors").asInt(),
                done,
                bytes,
                bytes == 0 ? 100 : done * 100 / bytes);
    }

    private String copyAtReceiver(String name) throws IOException, InterruptedException {
        String newest = null;
        for (JsonNode file : b.get("/api/files")) {
            if (file.get("name").asString().equals(name) && !file.path("peer").isNull()) {
                newest = file.get("id").asString();
            }
        }
        if (newest == null) {
            throw new DemoFailure("service B has no received file " + name);
        }
        return newest;
    }

    private int compare(DemoFile file, String copy) throws IOException, InterruptedException {
        Map<String, String> sent;
        try (InputStream in = file.open()) {
            sent = TensorHashes.of(in, file.size());
        }
        Map<String, String> arrived;
        try (InputStream in = new BufferedInputStream(b.download(copy, deadline), BUFFER)) {
            arrived = TensorHashes.of(in, -1);
        }
        if (!sent.equals(arrived)) {
            throw new DemoFailure("tensors differ: " + differences(sent, arrived));
        }
        return arrived.size();
    }

    private static Map<String, String> differences(Map<String, String> sent, Map<String, String> arrived) {
        Map<String, String> differences = new TreeMap<>();
        sent.forEach((name, value) -> {
            if (!value.equals(arrived.get(name))) {
                differences.put(name, "sent " + value + ", arrived " + arrived.get(name));
            }
        });
        arrived.keySet().stream()
                .filter(name -> !sent.containsKey(name))
                .forEach(name -> differences.put(name, "not sent, but arrived"));
        return differences;
    }
}

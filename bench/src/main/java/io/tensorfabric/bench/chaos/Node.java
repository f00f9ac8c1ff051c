package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A node over all its starts, always on the same ports. Peers reach its data through the wire {@code data} and its
 * negotiation through {@code rest}. Used by one thread at a time.
 */
final class Node implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(3);

    private final String id;

    private final List<String> command;

    private final Path folder;

    private final Wire data;

    private final Wire rest;

    private final Actuator actuator;

    private final List<NodeProcess> starts = new ArrayList<>();

    private boolean alive;

    Node(Place place, List<String> command, Path folder) throws IOException {
        this.id = place.id();
        this.command = List.copyOf(command);
        this.folder = folder;
        this.data = new Wire(
                Wire.loopback(place.advertised(), place.softPort()), Wire.loopback("127.0.0.1", place.softPort()));
        this.rest = new Wire(Wire.loopback(place.advertised(), place.port()), Wire.loopback("127.0.0.1", place.port()));
        this.actuator = new Actuator(place.port());
    }

    /**
     * Where a node is.
     *
     * @param id its id
     * @param port of its web server
     * @param softPort of its software device
     * @param advertised loopback address at which wires take what is for it
     */
    record Place(String id, int port, int softPort, String advertised) {}

    String id() {
        return id;
    }

    Wire data() {
        return data;
    }

    Wire rest() {
        return rest;
    }

    boolean isAlive() {
        return alive;
    }

    void start() throws IOException {
        int generation = starts.size();
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(
                "--generation",
                Integer.toString(generation),
                "--journal",
                NodeProcess.journal(folder, id, generation).toString()));
        starts.add(new NodeProcess(id, generation, all, folder));
        alive = true;
    }

    void awaitReady() throws IOException, InterruptedException {
        try {
            current().ready().get(START.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException ex) {
            throw new IOException("Node " + id + " did not start, see the logs in " + folder, ex);
        }
    }

    boolean isReady() {
        return alive && current().ready().isDone() && !current().ready().isCompletedExceptionally();
    }

    NodeProcess current() {
        return starts.get(starts.size() - 1);
    }

    void kill() throws InterruptedException {
        alive = false;
        current().kill();
    }

    void terminate() throws InterruptedException {
        alive = false;
        current().terminate();
    }

    Figures figures() throws IOException, InterruptedException {
        return actuator.figures();
    }

    /** Pushes that are not ended, under {@code "active"}, and receipts since the last call by peer. */
    Map<String, Integer> status() throws IOException, InterruptedException {
        Map<String, Integer> status = new HashMap<>();
        for (String part : current().status().split(" ", -1)) {
            int place = part.indexOf('=');
            status.put(part.substring(0, place), Integer.valueOf(part.substring(place + 1)));
        }
        return status;
    }

    List<String> violations() {
        List<String> violations = new ArrayList<>();
        for (NodeProcess start : starts) {
            String violation = start.violation();
            if (violation != null) {
                violations.add(violation);
            }
        }
        return violations;
    }

    List<Incarnation> incarnations() throws IOException {
        List<Incarnation> all = new ArrayList<>();
        for (NodeProcess start : starts) {
            all.add(start.incarnation());
        }
        return all;
    }

    @Override
    public void close() throws IOException {
        try {
            if (alive) {
                kill();
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        data.close();
        rest.close();
    }
}

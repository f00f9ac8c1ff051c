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
 * A node over all its starts, always on the same ports. Peers reach its data by the path {@code data} and its
 * negotiation through the wire {@code rest}. Used by one thread at a time.
 */
final class Node implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(3);

    private final String id;

    private final List<String> command;

    private final Map<String, String> environment;

    private final Path folder;

    private final DataPath data;

    private final Wire rest;

    private final Actuator actuator;

    private final List<NodeProcess> starts = new ArrayList<>();

    private boolean alive;

    Node(Place place, DataPath data, List<String> command, Map<String, String> environment, Path folder)
            throws IOException {
        this.id = place.id();
        this.command = List.copyOf(command);
        this.environment = Map.copyOf(environment);
        this.folder = folder;
        this.data = data;
        this.rest = new Wire(Wire.loopback(place.advertised(), place.port()), Wire.loopback("127.0.0.1", place.port()));
        this.actuator = new Actuator(place.port());
    }

    /**
     * Where a node is.
     *
     * @param index its place among the nodes
     * @param id its id
     * @param port of its web server
     * @param softPort of its software device
     * @param advertised loopback address at which wires take what is for it
     */
    record Place(int index, String id, int port, int softPort, String advertised) {}

    String id() {
        return id;
    }

    DataPath data() {
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
        starts.add(new NodeProcess(id, generation, all, environment, folder));
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

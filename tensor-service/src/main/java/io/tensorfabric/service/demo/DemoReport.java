package io.tensorfabric.service.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Prints what happened as tables. */
final class DemoReport {

    private static final int MOST_ROWS = 40;

    private final PrintStream out;

    DemoReport(PrintStream out) {
        this.out = out;
    }

    void print(DemoResult result, ServiceClient a, ServiceClient b) throws IOException, InterruptedException {
        tensors(result.push().get("results"));
        for (ServiceClient service : new ServiceClient[] {a, b}) {
            device(service);
            queuePairs(service);
            completionQueues(service);
        }
    }

    private void tensors(JsonNode results) {
        out.println();
        out.printf("%-48s %-8s %-20s %14s %10s %8s  %s%n", "tensor", "dtype", "shape", "bytes", "ms", "GB/s", "path");
        int rows = 0;
        for (JsonNode tensor : results) {
            if (rows++ == MOST_ROWS) {
                out.println("... and " + (results.size() - MOST_ROWS) + " more");
                break;
            }
            long bytes = tensor.get("bytes").asLong();
            double millis = tensor.get("micros").asLong() / 1e3;
            out.printf(
                    Locale.ROOT,
                    "%-48s %-8s %-20s %14d %10.2f %8.2f  %s%n",
                    tensor.get("tensor").asString(),
                    tensor.get("dtype").asString(),
                    tensor.get("shape"),
                    bytes,
                    millis,
                    millis == 0 ? 0 : bytes / millis / 1e6,
                    tensor.path("path").asString(""));
        }
    }

    private void device(ServiceClient service) throws IOException, InterruptedException {
        JsonNode fabric = service.get("/actuator/fabric");
        out.println();
        out.printf(
                "service %s: provider %s, device %s%n",
                service.name(),
                fabric.at("/provider/name").asString("?"),
                fabric.at("/device/name").asString("?"));
        for (JsonNode gpu : fabric.at("/gpu/devices")) {
            out.printf(
                    "  %s: %s, %s, path %s: %s%n",
                    gpu.get("memoryKind").asString(),
                    gpu.get("name").asString(),
                    gpu.get("pciAddress").asString(),
                    gpu.get("path").asString(),
                    gpu.get("reason").asString());
        }
        JsonNode gid = fabric.at("/device/gid");
        if (gid.isObject()) {
            out.println("  " + gid.get("explanation").asString("?"));
        }
        if (fabric.at("/provider/fallback").asBoolean(false)) {
            out.println("  " + fabric.at("/provider/reason").asString(""));
        }
    }

    private void queuePairs(ServiceClient service) throws IOException, InterruptedException {
        out.printf("  %-10s %-8s %-10s %-6s %-10s %-6s%n", "peer", "lane", "queue pair", "state", "peer's", "state");
        for (JsonNode connection : service.get("/actuator/queuepairs").get("connections")) {
            for (JsonNode lane : connection.get("lanes")) {
                out.printf(
                        "  %-10s %-8s %-10s %-6s %-10s %-6s%n",
                        connection.get("peer").asString(),
                        lane.get("purpose").asString().toLowerCase(Locale.ROOT),
                        lane.get("number").asString(),
                        lane.get("state").asString(),
                        lane.get("peerNumber").asString("?"),
                        lane.get("peerState").asString("?"));
            }
        }
    }

    private void completionQueues(ServiceClient service) throws IOException, InterruptedException {
        out.printf("  %-28s %10s  %s%n", "completion queue", "entries", "completions by status");
        for (JsonNode queue : service.get("/actuator/completionqueues").get("completionQueues")) {
            out.printf(
                    "  %-28s %10d  %s%n",
                    queue.get("name").asString(), queue.get("capacity").asInt(), queue.get("completions"));
        }
    }
}

package io.tensorfabric.bench.chaos;

import java.util.ArrayList;
import java.util.List;

/**
 * What a node holds.
 *
 * @param activePushes pushes under way
 * @param openTensors received tensors that are not closed
 * @param poolBytes memory leased out of the pool
 * @param poolLeases buffers leased out of the pool: landing zones, those that peers asked for, and send buffers
 * @param queuePairs queue pairs in all states
 * @param connections connections in all states
 * @param threads live threads of the JVM
 * @param files open file descriptors
 */
record Figures(
        long activePushes,
        long openTensors,
        long poolBytes,
        long poolLeases,
        long queuePairs,
        long connections,
        long threads,
        long files) {

    /** Threads of the web server and of the HTTP client that come and go with calls. */
    static final int THREAD_SLACK = 8;

    /** Connections of the web server and of the HTTP client, which close after being unused for a while. */
    static final int FILE_SLACK = 16;

    /** What is held beyond a baseline, in words; empty if nothing is. */
    List<String> leaks(String node, Figures baseline) {
        List<String> leaks = new ArrayList<>();
        check(leaks, node, "pushes under way", activePushes, 0, 0);
        check(leaks, node, "open tensors", openTensors, 0, 0);
        check(leaks, node, "bytes of the pool in use", poolBytes, baseline.poolBytes, 0);
        check(leaks, node, "buffers and zones in use", poolLeases, baseline.poolLeases, 0);
        check(leaks, node, "queue pairs", queuePairs, baseline.queuePairs, 0);
        check(leaks, node, "connections", connections, baseline.connections, 0);
        check(leaks, node, "threads", threads, baseline.threads, THREAD_SLACK);
        check(leaks, node, "open files", files, baseline.files, FILE_SLACK);
        return leaks;
    }

    /** Whether what pushes leave behind for a while has become less. */
    boolean holdsLessThan(Figures earlier) {
        return activePushes < earlier.activePushes
                || openTensors < earlier.openTensors
                || poolBytes < earlier.poolBytes
                || poolLeases < earlier.poolLeases;
    }

    private static void check(List<String> leaks, String node, String what, long now, long then, int slack) {
        if (now > then + slack) {
            leaks.add("leak: node " + node + " has " + now + " " + what + ", and had " + then + " before the faults");
        }
    }
}

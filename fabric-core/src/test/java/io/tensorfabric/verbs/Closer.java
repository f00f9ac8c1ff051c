package io.tensorfabric.verbs;

import java.util.ArrayDeque;
import java.util.Deque;

/** Closes what a test opened, last first, so that nothing is closed before what depends on it. */
final class Closer implements AutoCloseable {

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        open.push(resource);
        return resource;
    }

    @Override
    public void close() {
        AssertionError failure = null;
        while (!open.isEmpty()) {
            AutoCloseable resource = open.pop();
            try {
                resource.close();
            } catch (Exception ex) {
                if (failure == null) {
                    failure = new AssertionError("Could not close " + resource, ex);
                } else {
                    failure.addSuppressed(ex);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}

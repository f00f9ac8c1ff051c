package io.tensorfabric.connection;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes what was made so far, latest first, unless everything could be made. Not thread-safe. */
final class Undo implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Undo.class);

    private final Deque<AutoCloseable> made = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        made.push(resource);
        return resource;
    }

    /** Everything was made: {@link #close} does nothing. */
    void keep() {
        made.clear();
    }

    @Override
    public void close() {
        for (AutoCloseable resource = made.poll(); resource != null; resource = made.poll()) {
            closeQuietly(resource);
        }
    }

    /** Closes; a failure is logged, since another one is on its way or nobody can act on it. */
    static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            LOG.warn("A {} could not be closed", resource.getClass().getSimpleName(), e);
        }
    }
}

package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import java.lang.ref.Cleaner;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether an object is open and what depends on it. Lives longer than the handle that the user holds, so that a handle
 * that was dropped without close can be reported.
 */
final class Lifecycle implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Lifecycle.class);

    private static final Cleaner CLEANER = Cleaner.create();

    private static final int NAMED_DEPENDENTS = 8;

    private final String name;

    private final String destroyCall;

    private final List<Lifecycle> parents;

    private final Set<Lifecycle> dependents = new LinkedHashSet<>();

    /** Being destroyed: users are refused from here on, not only when it is done. */
    private volatile boolean closing;

    private volatile boolean closed;

    /** Opens an object that depends on its parents, which must be open. */
    Lifecycle(String name, String destroyCall, Lifecycle... parents) {
        this.name = name;
        this.destroyCall = destroyCall;
        this.parents = List.of(parents);
        for (int i = 0; i < parents.length; i++) {
            try {
                parents[i].adopt(this);
            } catch (IllegalStateException ex) {
                this.parents.subList(0, i).forEach(parent -> parent.abandon(this));
                throw ex;
            }
        }
    }

    /** Reports it when the handle is dropped without close. */
    void watch(Object handle) {
        CLEANER.register(handle, this);
    }

    /** Called when the handle is gone. */
    @Override
    public void run() {
        if (!closed) {
            log.warn("{} was dropped without close: its memory and its place on the device are lost", name);
        }
    }

    String name() {
        return name;
    }

    boolean isClosed() {
        return closed;
    }

    void checkOpen() {
        if (closing) {
            throw new IllegalStateException("The " + name + " is closed");
        }
    }

    private synchronized void adopt(Lifecycle child) {
        checkOpen();
        dependents.add(child);
    }

    private synchronized void abandon(Lifecycle child) {
        dependents.remove(child);
    }

    /** Takes a new object back, whose creation failed later on. */
    void cancel() {
        close(() -> {});
    }

    /** Closes once: concurrent callers wait for the first; a failure of {@code destroy} leaves the object open. */
    synchronized void close(Runnable destroy) {
        if (closed) {
            return;
        }
        if (!dependents.isEmpty()) {
            throw new VerbsException(destroyCall, Errno.EBUSY, name + " is used by " + describeDependents());
        }
        closing = true;
        try {
            destroy.run();
            closed = true;
        } finally {
            closing = closed;
        }
        parents.forEach(parent -> parent.abandon(this));
    }

    private String describeDependents() {
        String named =
                dependents.stream().limit(NAMED_DEPENDENTS).map(Lifecycle::name).collect(Collectors.joining(", "));
        int more = dependents.size() - NAMED_DEPENDENTS;
        return more > 0 ? named + " and " + more + " more" : named;
    }
}

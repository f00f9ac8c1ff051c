package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of a native object: who uses it, what depends on it, whether it is destroyed. An object is destroyed once,
 * when nothing depends on it and no thread is inside a native call on it; from then on {@link #enter} throws instead of
 * handing out the dead address.
 *
 * <p>Outlives the Java object that the user holds, so that one that was dropped without close can be reported.
 */
final class NativeHandle implements Runnable {

    /** Destroys the native object at an address and returns 0 or -errno. */
    interface Destroyer {

        int destroy(long address);
    }

    private static final Logger log = LoggerFactory.getLogger(NativeHandle.class);

    private static final VarHandle USES;

    /** Bit of {@link #uses}: closing has begun, and perhaps ended. */
    private static final int CLOSING = Integer.MIN_VALUE;

    /** Calls inside the kernel are short and waits are woken, so this is for a kernel that hangs. */
    private static final long DRAIN_NANOS = Duration.ofSeconds(30).toNanos();

    private static final long DRAIN_STEP_NANOS = 20_000;

    private static final int NAMED_DEPENDENTS = 8;

    static {
        try {
            USES = MethodHandles.lookup().findVarHandle(NativeHandle.class, "uses", int.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final String name;

    private final String destroyCall;

    private final Destroyer destroyer;

    private final List<NativeHandle> parents;

    private final Set<NativeHandle> dependents = new LinkedHashSet<>();

    /** Threads inside a call on the object, and {@link #CLOSING}. */
    @SuppressWarnings("unused")
    private volatile int uses;

    private volatile long address;

    private volatile boolean closed;

    /** Takes over a new native object. The caller has entered all parents. */
    NativeHandle(String name, long address, String destroyCall, Destroyer destroyer, NativeHandle... parents) {
        this.name = name;
        this.address = address;
        this.destroyCall = destroyCall;
        this.destroyer = destroyer;
        this.parents = List.of(parents);
        for (NativeHandle parent : parents) {
            synchronized (parent.dependents) {
                parent.dependents.add(this);
            }
        }
    }

    String name() {
        return name;
    }

    boolean isClosed() {
        return closed;
    }

    boolean isClosing() {
        return (int) USES.getVolatile(this) < 0;
    }

    /**
     * The address, which stays valid until {@link #exit}. Never waits for a close in progress: callers hold other objects,
     * whose own close would then wait for them.
     *
     * @throws IllegalStateException if the object is closed or another thread is closing it
     */
    long enter() {
        if (!tryEnter()) {
            throw new IllegalStateException("The " + name + (closed ? " is closed" : " is being closed"));
        }
        return address;
    }

    /** As {@link #enter}, for callers to whom a closed object is no error; the address is {@link #address()} then. */
    boolean tryEnter() {
        if ((int) USES.getAndAdd(this, 1) < 0) {
            USES.getAndAdd(this, -1);
            return false;
        }
        return true;
    }

    /** Only between a successful {@link #tryEnter} and {@link #exit}. */
    long address() {
        return address;
    }

    /** Ends what {@link #enter} began. */
    void exit() {
        USES.getAndAdd(this, -1);
    }

    /** Destroys the object unless that was done; a failure leaves it open. */
    synchronized void close(Runnable wake) {
        if (closed) {
            return;
        }
        checkNoDependents();
        USES.getAndBitwiseOr(this, CLOSING);
        try {
            destroy(wake);
        } catch (RuntimeException ex) {
            USES.getAndBitwiseAnd(this, ~CLOSING);
            throw ex;
        }
        leaveParents();
    }

    /**
     * Destroys the native object and puts a new one in its place, with no thread inside a call on either; a closed
     * handle stays closed. When there is no new one, the handle is closed.
     *
     * @param factory makes the new object and returns its address or -errno
     */
    synchronized void replace(LongSupplier factory) {
        if (closed) {
            return;
        }
        USES.getAndBitwiseOr(this, CLOSING);
        try {
            destroy(() -> {});
            long created = factory.getAsLong();
            if (created < 0) {
                leaveParents();
                throw Failures.of(destroyCall, created, "the " + name + " could not be renewed and is closed");
            }
            address = created;
        } finally {
            if (!closed) {
                USES.getAndBitwiseAnd(this, ~CLOSING);
            }
        }
    }

    private void destroy(Runnable wake) {
        drain(wake);
        checkNoDependents();
        int rc = destroyer.destroy(address);
        if (rc < 0) {
            throw Failures.of(destroyCall, rc, "the " + name + " stays open");
        }
    }

    private void leaveParents() {
        closed = true;
        for (NativeHandle parent : parents) {
            synchronized (parent.dependents) {
                parent.dependents.remove(this);
            }
        }
    }

    private void drain(Runnable wake) {
        long start = System.nanoTime();
        while (((int) USES.getVolatile(this) & ~CLOSING) != 0) {
            wake.run();
            LockSupport.parkNanos(this, DRAIN_STEP_NANOS);
            if (System.nanoTime() - start > DRAIN_NANOS) {
                throw new VerbsException(destroyCall, Errno.EBUSY, "a call on the " + name + " does not return");
            }
        }
    }

    private void checkNoDependents() {
        synchronized (dependents) {
            if (!dependents.isEmpty()) {
                throw new VerbsException(
                        destroyCall, Errno.EBUSY, "the " + name + " is used by " + describeDependents());
            }
        }
    }

    private String describeDependents() {
        String named = dependents.stream()
                .limit(NAMED_DEPENDENTS)
                .map(NativeHandle::name)
                .collect(Collectors.joining(", "));
        int more = dependents.size() - NAMED_DEPENDENTS;
        return more > 0 ? named + " and " + more + " more" : named;
    }

    /** Called by the cleaner when the Java object is gone. */
    @Override
    public void run() {
        if (!closed) {
            log.warn("The {} was dropped without close: the device keeps it until the process ends", name);
        }
    }
}

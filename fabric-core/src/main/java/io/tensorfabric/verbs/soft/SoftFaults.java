package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Breaks software devices on purpose, for tests: give one to {@link SoftDeviceOptions} and turn faults on and off while
 * the device works. It acts on every open context of the devices that have it.
 *
 * <p>Thread-safe.
 */
public final class SoftFaults {

    private final List<Engine> engines = new CopyOnWriteArrayList<>();

    private final SoftTrafficFaults allTraffic = new SoftTrafficFaults(this::wake);

    private final Map<Integer, SoftTrafficFaults> traffic = new ConcurrentHashMap<>();

    private final Map<String, FailingCall> failingCalls = new ConcurrentHashMap<>();

    private volatile boolean callsFail;

    private volatile @Nullable FailingWork failingWork;

    private volatile long completionDelayNanos;

    private volatile boolean completionsHeld;

    private volatile boolean windowBoundsIgnored;

    private static final class FailingCall {

        private final Errno errno;

        private long left;

        FailingCall(Errno errno, long left) {
            this.errno = errno;
            this.left = left;
        }

        synchronized boolean take() {
            return left > 0 && left-- > 0;
        }
    }

    private static final class FailingWork {

        private final WorkCompletionStatus status;

        private long skip;

        private long left;

        FailingWork(WorkCompletionStatus status, long skip, long left) {
            this.status = status;
            this.skip = skip;
            this.left = left;
        }

        synchronized boolean take() {
            if (skip > 0) {
                skip--;
                return false;
            }
            return left > 0 && left-- > 0;
        }
    }

    /** No faults. */
    public SoftFaults() {}

    /** Faults of the traffic of all queue pairs. */
    public SoftTrafficFaults traffic() {
        return allTraffic;
    }

    /** Faults of the traffic of one queue pair, besides {@link #traffic()}. */
    public SoftTrafficFaults traffic(int queuePairNumber) {
        return traffic.computeIfAbsent(queuePairNumber, number -> new SoftTrafficFaults(this::wake));
    }

    @Nullable SoftTrafficFaults trafficOf(int queuePairNumber) {
        return traffic.isEmpty() ? null : traffic.get(queuePairNumber);
    }

    /**
     * Lets the next calls of a verb fail.
     *
     * @param call name of the libibverbs call, such as {@code ibv_reg_mr}; for {@code ibv_modify_qp} a target state may
     *     follow, as in {@code ibv_modify_qp:RTR}
     * @param times how many calls fail, 0 for none any more
     */
    public void failCall(String call, Errno errno, long times) {
        failingCalls.put(call, new FailingCall(errno, times));
        callsFail = true;
    }

    /** Throws when a call is to fail. */
    void checkCall(String call) {
        if (callsFail) {
            checkCall(call, call);
        }
    }

    /** The same for a call with a detail, such as a target state. */
    void checkCall(String call, Enum<?> detail) {
        if (callsFail) {
            checkCall(call, call);
            checkCall(call + ":" + detail.name(), call);
        }
    }

    private void checkCall(String rule, String call) {
        FailingCall failing = failingCalls.get(rule);
        if (failing != null && failing.take()) {
            throw new VerbsException(call, failing.errno, "a fault was injected into the software device");
        }
    }

    /**
     * Lets send work requests fail when it is their turn, as if the device had found the fault itself.
     *
     * @param skip how many come before, counted over all queue pairs from now on
     * @param times how many fail then
     * @param status how they complete, not {@link WorkCompletionStatus#SUCCESS}
     */
    public void failWorkRequests(long skip, long times, WorkCompletionStatus status) {
        if (status == WorkCompletionStatus.SUCCESS) {
            throw new IllegalArgumentException("A failing work request needs a status other than SUCCESS");
        }
        failingWork = times > 0 ? new FailingWork(status, skip, times) : null;
    }

    @Nullable WorkCompletionStatus takeWorkFault() {
        FailingWork failing = failingWork;
        return failing != null && failing.take() ? failing.status : null;
    }

    /** Keeps each completion for a while before it can be polled; zero ends it. */
    public void delayCompletions(Duration delay) {
        completionDelayNanos = delay.toNanos();
        wake();
    }

    /** Keeps all completions while set, and hands them out in order afterwards. */
    public void holdCompletions(boolean held) {
        completionsHeld = held;
        wake();
    }

    long completionDelayNanos() {
        return completionDelayNanos;
    }

    boolean completionsHeld() {
        return completionsHeld;
    }

    /** Lets memory windows that are bound from now on open all of their region, as rxe of Linux 6.1 does. */
    public void ignoreWindowBounds(boolean ignored) {
        windowBoundsIgnored = ignored;
    }

    boolean windowBoundsIgnored() {
        return windowBoundsIgnored;
    }

    /**
     * Changes the state of a port: leaving {@link PortState#ACTIVE} stops its traffic and raises {@code PORT_ERR},
     * entering it raises {@code PORT_ACTIVE}.
     */
    public void setPortState(int port, PortState state) {
        engines.forEach(engine -> engine.ports().setState(port, state));
    }

    /** Replaces the GID table of a port, which raises {@code GID_CHANGE}. */
    public void setGidTable(int port, List<GidEntry> entries) {
        engines.forEach(engine -> engine.ports().setGids(port, entries));
    }

    /** Cuts all present connections; queue pairs connect again. */
    public void disconnect() {
        engines.forEach(Engine::disconnectAll);
    }

    /** Ends all faults but those of ports and GID tables. */
    public void clear() {
        failingCalls.clear();
        callsFail = false;
        failingWork = null;
        completionDelayNanos = 0;
        completionsHeld = false;
        windowBoundsIgnored = false;
        traffic.values().forEach(SoftTrafficFaults::clear);
        allTraffic.clear();
    }

    void attach(Engine engine) {
        engines.add(engine);
    }

    void detach(Engine engine) {
        engines.remove(engine);
    }

    private void wake() {
        engines.forEach(Engine::faultsChanged);
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.memory.cuda.GpuMemory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How tensors of one GPU of this node reach the GPU of a peer on the same host: whether by CUDA IPC, which is asked for when
 * the first one comes, and then copy and header. Guarded by the lock of the link's sender, except where noted.
 */
final class CudaIpcRoute {

    private static final Logger log = LoggerFactory.getLogger(CudaIpcRoute.class);

    /** Refusals that pass, such as that of a peer to which the connection is not UP yet. */
    private static final int TRIES = 6;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** For a zone: the peer allocates and clears it. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final CudaIpcLink link;
    private final GpuMemory gpu;

    /** Until it is decided whether the route is on. */
    private final ArrayDeque<Push> undecided = new ArrayDeque<>();

    private final PushQueue waiting = PushQueue.smallFirst();

    /** Those that need a zone each. */
    private final PushQueue large = PushQueue.byPriority();

    private final List<PeerZone> dedicated = new ArrayList<>();
    private CudaIpcStatus.State state = CudaIpcStatus.State.UNTRIED;
    private String reason = "no tensor was pushed yet";
    private @Nullable PeerZone shared;
    private boolean askingLarge;
    private int tries;

    CudaIpcRoute(CudaIpcLink link, GpuMemory gpu) {
        this.link = link;
        this.gpu = gpu;
    }

    boolean isOff() {
        return state == CudaIpcStatus.State.OFF;
    }

    CudaIpcStatus status() {
        return new CudaIpcStatus(link.connection().peerName(), gpu.kind(), state, reason);
    }

    void take(Push push) {
        push.phase(PushPhase.ROOM);
        switch (state) {
            case ON -> place(push);
            case OFF -> divert(push);
            default -> {
                undecided.add(push);
                begin();
            }
        }
    }

    /** Asks the peer, once it is known where its tensors land and something is to be sent. */
    void begin() {
        if (state != CudaIpcStatus.State.UNTRIED || !link.isKnown() || undecided.isEmpty()) {
            return;
        }
        if (!link.zones().landing().isInGpu()) {
            turnOff("tensors land in host memory of the peer");
            return;
        }
        state = CudaIpcStatus.State.ASKING;
        reason = "the peer is asked";
        tries = 1;
        ask(0);
    }

    private void ask(long bytes) {
        try {
            link.engine().blocking(() -> open(bytes));
        } catch (RejectedExecutionException e) {
            refused(bytes, "this node is shutting down");
        }
    }

    /** On a blocking thread, without the lock. */
    private void open(long bytes) {
        PeerZone zone;
        try {
            zone = new CudaIpcOpener(link, gpu).open(bytes, PATIENCE);
        } catch (RuntimeException e) {
            log.debug("No zone of peer '{}' by CUDA IPC", link.connection().peerName(), e);
            boolean passes = e instanceof ConnectionException refusal && PushFailures.isRecoverableZone(refusal);
            link.locked(() -> {
                if (!passes || !askAgain(bytes)) {
                    refused(bytes, String.valueOf(e.getMessage()));
                }
            });
            return;
        }
        link.locked(() -> opened(bytes, zone));
    }

    private boolean askAgain(long bytes) {
        boolean again = bytes == 0 && tries < TRIES && !link.isDown();
        if (again) {
            // 20, 40, 80, 160, 320 ms
            link.engine().wheel().arm(new Again(), PAUSE_NANOS << (tries - 1));
            tries++;
        }
        return again;
    }

    /** Asks the peer once more. */
    private final class Again extends DeadlineWheel.Entry {

        @Override
        void expired() {
            link.locked(() -> {
                if (!link.isDown()) {
                    ask(0);
                }
            });
        }
    }

    private void opened(long bytes, PeerZone zone) {
        link.zones().opened().add(zone);
        if (bytes > 0) {
            askingLarge = false;
            dedicated.add(zone);
        } else if (!isOff()) {
            shared = zone;
            state = CudaIpcStatus.State.ON;
            reason = "the GPU opened a landing zone of the peer and copied in it";
            log.info(
                    "Tensors of {} reach peer '{}' by CUDA IPC",
                    gpu.kind(),
                    link.connection().peerName());
        }
        if (link.isDown()) {
            link.closeIfIdle(zone);
            return;
        }
        for (Push push = undecided.poll(); push != null; push = undecided.poll()) {
            place(push);
        }
        serve();
    }

    private void refused(long bytes, String why) {
        if (bytes == 0) {
            turnOff(why);
            return;
        }
        askingLarge = false;
        Push first = large.poll();
        if (first != null && !link.isDown()) {
            divert(first);
        }
        serve();
    }

    private void turnOff(String why) {
        if (link.isDown() || isOff()) {
            return;
        }
        state = CudaIpcStatus.State.OFF;
        reason = why;
        log.info(
                "Tensors of {} do not reach peer '{}' by CUDA IPC: {}",
                gpu.kind(),
                link.connection().peerName(),
                why);
        List<Push> all = new ArrayList<>(undecided);
        all.addAll(waiting.drain());
        all.addAll(large.drain());
        undecided.clear();
        all.forEach(this::divert);
        List.copyOf(link.zones().opened()).stream().filter(this::has).forEach(zone -> {
            zone.wantRetired();
            link.roomFreed(zone);
        });
    }

    private boolean has(PeerZone zone) {
        return zone == shared || dedicated.contains(zone);
    }

    private void place(Push push) {
        PeerZone zone = shared;
        if (zone == null || push.bytes() > zone.rooms().size()) {
            large.add(push);
            serve();
        } else if (!waiting.isBehind(push) && PeerZones.reserve(push, zone)) {
            copy(push, zone);
        } else {
            waiting.add(push);
        }
    }

    /** Gives room to those that wait for it. */
    void serve() {
        PeerZone zone = shared;
        Push next = waiting.peek();
        while (zone != null && next != null && PeerZones.reserve(next, zone)) {
            waiting.remove(next);
            copy(next, zone);
            next = waiting.peek();
        }
        next = large.peek();
        while (next != null) {
            PeerZone fitting = smallestUnused(next.bytes());
            if (fitting == null || !PeerZones.reserve(next, fitting)) {
                break;
            }
            large.poll();
            copy(next, fitting);
            next = large.peek();
        }
        if (next != null && !askingLarge && !link.isDown()) {
            askingLarge = true;
            ask(next.bytes());
        }
    }

    private @Nullable PeerZone smallestUnused(long bytes) {
        PeerZone best = null;
        for (PeerZone zone : dedicated) {
            boolean fits = zone.rooms().isUnused() && zone.rooms().size() >= bytes;
            if (fits && (best == null || zone.rooms().size() < best.rooms().size())) {
                best = zone;
            }
        }
        return best;
    }

    private void copy(Push push, PeerZone zone) {
        push.source.busy(true);
        push.source.path(TransferPath.CUDA_IPC);
        push.phase(PushPhase.WRITING);
        zone.copies++;
        try {
            gpu.copies()
                    .across(
                            push.source.address(),
                            zone.address() + push.offset,
                            push.bytes(),
                            push.isSmall() && push.options().priority() != TransferPriority.LOW,
                            failure -> copied(push, zone, failure));
        } catch (RuntimeException e) {
            link.engine().cleanUp(() -> copied(push, zone, e));
        }
    }

    /** On a thread of the GPU, without the lock. */
    private void copied(Push push, PeerZone zone, @Nullable RuntimeException failure) {
        link.locked(() -> zone.copies--);
        settle(push, () -> {
            if (failure != null) {
                log.warn(
                        "A copy to peer '{}' by CUDA IPC failed",
                        link.connection().peerName(),
                        failure);
                zone.rooms().giveBack(push.offset);
                push.zone = null;
                turnOff("a copy failed: " + failure.getMessage());
                divert(push);
            } else {
                push.posted = push.bytes();
                push.placed = push.bytes();
                link.pumps().post(push);
            }
        });
        link.locked(() -> {
            if (link.isDown()) {
                link.closeIfIdle(zone);
            } else if (zone.mayRetire()) {
                link.giveBack(zone);
            }
        });
    }

    /** What worked with a push has ended: goes on with it, unless it or its link has ended meanwhile. Without the lock. */
    private void settle(Push push, Runnable goOn) {
        boolean[] lost = new boolean[1];
        link.locked(() -> {
            push.source.busy(false);
            if (push.isDecided()) {
                link.sender().ends().dropIfDone(push);
            } else if (!link.isDown()) {
                goOn.run();
                return;
            } else {
                lost[0] = true;
            }
            if (link.isDown()) {
                push.leaveLink();
            }
        });
        if (lost[0]) {
            push.attemptFailed(link.cause());
        }
    }

    /** Gets a push ready for the ordinary way. */
    private void divert(Push push) {
        push.source.share(null);
        push.source.busy(true);
        push.phase(PushPhase.PREPARING);
        try {
            link.engine()
                    .blocking(() -> link.engine().sources().prepareGpu(push, gpu, failure -> prepared(push, failure)));
        } catch (RejectedExecutionException e) {
            link.engine().cleanUp(() -> prepared(push, PushFailures.shuttingDown(push)));
        }
    }

    private void prepared(Push push, @Nullable TransferException failure) {
        if (failure != null) {
            push.fail(failure);
        }
        settle(push, () -> link.rooms().find(push));
    }

    void remove(Push push) {
        undecided.remove(push);
        waiting.remove(push);
        large.remove(push);
    }

    /** A zone is given back. */
    void gone(PeerZone zone) {
        dedicated.remove(zone);
        if (zone == shared) {
            shared = null;
            if (!isOff()) {
                state = CudaIpcStatus.State.UNTRIED;
                reason = "the peer's zone was given back unused";
            }
        }
    }

    void clear() {
        undecided.clear();
        waiting.clear();
        large.clear();
    }
}

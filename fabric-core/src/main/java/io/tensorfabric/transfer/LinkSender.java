package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.Transmission;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a link: room in the peer's zones, the lanes, and the answers of this node's receiver. Thread-safe; one
 * lock for all of it, never held over anything that blocks.
 */
final class LinkSender {

    private final Engine engine;
    private final Connection connection;
    private final ReentrantLock lock = new ReentrantLock();
    private final LanePumps pumps;
    private final Rooms rooms;
    private final PeerRegions regions;
    private final AnswerSender answers;
    private final PushEnds ends;
    private final CompletionBatch batch;

    LinkSender(Engine engine, Connection connection) {
        this.engine = engine;
        this.connection = connection;
        this.pumps = new LanePumps(this, connection, engine.options());
        this.rooms = new Rooms(engine, this, connection, lock, pumps);
        this.regions = new PeerRegions(engine, connection, lock, pumps);
        this.answers = new AnswerSender(lock, pumps);
        this.ends = new PushEnds(engine, pumps, rooms, regions);
        this.batch = new CompletionBatch(engine, connection, lock, ends);
    }

    /** What GPUs copy to the peer by themselves. */
    CudaIpcLink ipc() {
        return rooms.ipc();
    }

    AnswerSender answers() {
        return answers;
    }

    /** Under the lock. */
    PushEnds ends() {
        return ends;
    }

    /** Takes the answers of the peer. */
    AnswerIntake intake(PeerLink link) {
        return new AnswerIntake(engine, lock, this, link);
    }

    void zonesOpened(List<ZoneGrant> grants) {
        locked(() -> rooms.opened(grants));
    }

    void up() {
        locked(pumps::open);
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** Polls on the calling thread until something is so, for as long as that is worth it. */
    void pollUntil(BooleanSupplier done, long nanos) {
        connection.pollUntil(done, nanos);
    }

    /** The GPU has copied more of a push; also told of pushes that left. */
    void sourceReady(Push push) {
        locked(() -> pumps.resume(push));
    }

    /** The GPU cannot copy a push. */
    void sourceFailed(Push push, RuntimeException failure) {
        engine.callback(() -> push.fail(PushFailures.noSource(push, failure)));
    }

    /** Takes over a prepared push; false, with nothing done, if the connection is down. */
    boolean enqueue(Push push) {
        lock.lock();
        try {
            if (pumps.isDown()) {
                return false;
            }
            push.link = this;
            if (push.isDecided()) {
                push.release();
                return true;
            }
            OutboundGroup group = push.group;
            if (group != null) {
                group.joined(this);
            }
            RegionUse region = push.region;
            if (region != null) {
                regions.find(push, region);
            } else {
                rooms.find(push);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a transmission with the header, if there is one, from a pump. The peer may use the room from now on. */
    void writeHeader(Transmission transmission, Push push) {
        PeerZone zone = push.zone;
        push.headerPosted = true;
        if (push.isPull()) {
            push.path = TransferPath.HOST;
            return;
        }
        if (zone != null && push.region == null) {
            zone.rooms().handOver(push.offset);
        }
        LandingKind asked = rooms.zones().landing().toAsk(push.options().landing());
        push.path = zone == null ? TransferPath.NONE : TransferPath.of(push.source.path(), zone.path(asked));
        push.phase(PushPhase.ANSWER);
        if (push.region != null && zone != null) {
            push.region.told();
            PushHeaders.put(transmission, push, zone);
            return;
        }
        OutboundGroup group = push.together();
        if (group != null) {
            group.told(this);
        }
        PushHeaders.tensor(transmission, push, zone, asked);
    }

    /** All pushes of a group have ended, of which so many told the peer of their tensors over this link. */
    void groupOver(OutboundGroup group, int messages) {
        locked(() -> {
            if (pumps.isDown()) {
                return;
            }
            if (messages > 0) {
                pumps.answers().groupOver(group.what().id(), messages);
                pumps.pumpAnswers();
            }
            rooms.groupOver(group);
        });
    }

    /** A transmission of a push ended; on the thread that hands out completions. */
    void completed(Push push, Lane lane, long bytes, WorkCompletionStatus status) {
        if (status == WorkCompletionStatus.SUCCESS && batch.add(push, lane, bytes)) {
            return;
        }
        batch.run();
        boolean again;
        lock.lock();
        try {
            again = ends.take(push, lane, bytes, status, null);
        } finally {
            lock.unlock();
        }
        if (again) {
            push.attemptFailed(PushFailures.peerShutsDown(push));
        }
    }

    /** Drops a decided push as soon as possible; false if it is not with this link. */
    boolean abandon(Push push) {
        lock.lock();
        try {
            if (!this.equals(push.link)) {
                return false;
            }
            rooms.remove(push);
            regions.remove(push);
            pumps.remove(push);
            ends.dropIfDone(push);
            regions.giveBack();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The peer's receiver answered. */
    void answered(long transferId, ReceiptLevel level, EndedPushes ended) {
        lock.lock();
        try {
            Push push = find(transferId);
            if (push != null) {
                if (push.answer == null || push.answer.compareTo(level) < 0) {
                    push.answer = level;
                }
                if (push.group != null) {
                    push.group.handedOver();
                }
                ends.succeedIfDone(push, ended);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The peer's receiver refused. When it ends, whoever takes its place may take the tensor. */
    void rejected(long transferId, RejectCode code, String text) {
        Push push;
        boolean again;
        lock.lock();
        try {
            push = find(transferId);
            if (push == null) {
                return;
            }
            // The answer may overtake the completion of what it answers.
            push.turnedAway = code == RejectCode.SHUTTING_DOWN;
            again = PushEnds.leaveIfTurnedAway(push);
        } finally {
            lock.unlock();
        }
        if (again) {
            push.attemptFailed(PushFailures.peerShutsDown(push));
        } else if (code != RejectCode.SHUTTING_DOWN) {
            push.fail(PushFailures.rejected(push, code, text));
        }
    }

    /** Only a push of this link whose header is out can be answered here. */
    private @Nullable Push find(long transferId) {
        Push push = engine.pushes().find(transferId);
        return push != null && this.equals(push.link) && push.headerPosted && !push.isDecided() ? push : null;
    }

    /** The peer gives room back. */
    void released(int zoneId, long offset, long length) {
        lock.lock();
        try {
            rooms.released(zoneId, offset, length);
        } finally {
            lock.unlock();
        }
    }

    /** The peer wants a dedicated zone, or access to a published tensor, back. */
    void retire(int zoneId) {
        locked(() -> {
            rooms.retire(zoneId);
            regions.retire(zoneId);
        });
    }

    /** A zone that was asked for is there. */
    void zoneGranted(ZoneGrant grant) {
        locked(() -> {
            if (!pumps.isDown()) {
                rooms.granted(grant);
            }
        });
    }

    /** A zone that was asked for is refused. */
    void zoneRefused(ConnectionException refusal) {
        boolean again = PushFailures.isRecoverableZone(refusal);
        Push victim;
        lock.lock();
        try {
            victim = pumps.isDown() ? null : rooms.refused(refusal);
            if (victim != null && again) {
                victim.leaveLink();
            }
            rooms.serveDedicated();
        } finally {
            lock.unlock();
        }
        if (victim == null) {
            return;
        }
        if (again) {
            victim.attemptFailed(refusal);
        } else {
            victim.fail(PushFailures.zoneRefused(victim, refusal));
        }
    }

    void answersSent() {
        lock.lock();
        try {
            pumps.answersSent();
        } finally {
            lock.unlock();
        }
    }

    void ready(Lane lane) {
        lock.lock();
        try {
            pumps.ready(lane);
        } finally {
            lock.unlock();
        }
    }

    /** Whether pushes or answers are under way, or something of the peer's is still open at an orderly end. */
    boolean isBusy() {
        return answers.isWaiting() || engine.pushes().hasSomeOf(this) || ipc().isClosing();
    }

    /** A lane cannot be used, for example since it is too shallow for the options. */
    void laneFailed(Lane lane, RuntimeException problem) {
        String message = "Lane " + lane.index() + " to peer '" + connection.peerName() + "' cannot be used: "
                + problem.getMessage();
        giveUp(new ConnectionException(ConnectionException.Kind.LOST, connection.peerName(), message, null, problem));
    }

    void giveUp(ConnectionException cause) {
        connection.fail(cause);
    }

    /**
     * The connection is down; returns the pushes that were under way. Those that the device is done with, which should be
     * all, now belong to the caller.
     */
    List<Push> down() {
        List<Push> lost = new ArrayList<>();
        lock.lock();
        try {
            pumps.shut();
            rooms.clear();
            regions.clear();
            engine.pushes().forEach(push -> {
                if (this.equals(push.link) && !push.isReleased() && !push.source.isBusy()) {
                    if (push.isDecided()) {
                        ends.dropIfDone(push);
                    } else {
                        lost.add(push);
                    }
                    if (push.outstanding == 0) {
                        push.leaveLink();
                    }
                }
            });
        } finally {
            lock.unlock();
        }
        return lost;
    }
}

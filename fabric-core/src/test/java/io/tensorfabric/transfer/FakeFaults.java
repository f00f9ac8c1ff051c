package io.tensorfabric.transfer;

import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** What goes wrong at the sending end of a node. */
final class FakeFaults {

    volatile int laneDepth = 64;

    volatile boolean dropMessages;

    volatile boolean refuseZones;

    /** Writes that were carried out. */
    final AtomicInteger writes = new AtomicInteger();

    /** The same by lane, and reads too. */
    final AtomicIntegerArray requests = new AtomicIntegerArray(16);

    private final AtomicInteger zonesAsked = new AtomicInteger();

    private volatile CountDownLatch zoneAnswers = new CountDownLatch(0);

    private final List<Runnable> held = new ArrayList<>();

    private int heldLane = -1;

    private boolean wireStopped;

    private boolean completionsHeld;

    private boolean damage;

    private int failIn = -1;

    private WorkCompletionStatus failWith;

    /** No request for a zone is answered until the returned latch is open. */
    CountDownLatch holdZones() {
        CountDownLatch latch = new CountDownLatch(1);
        zoneAnswers = latch;
        return latch;
    }

    /** Requests for zones so far. */
    int zonesAsked() {
        return zonesAsked.get();
    }

    void zoneAsked() {
        zonesAsked.incrementAndGet();
        try {
            if (!zoneAnswers.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The test never answered a request for a zone");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nothing leaves the node until {@link #resume()}. */
    synchronized void stopWire() {
        wireStopped = true;
    }

    /** What is placed is not reported until {@link #resume()}. */
    synchronized void holdWireCompletions() {
        completionsHeld = true;
    }

    /** Nothing leaves one lane until {@link #releaseLane}. */
    synchronized void holdLane(int lane) {
        heldLane = lane;
    }

    /** What was held leaves in order, before anything that comes later. */
    void releaseLane(Executor wire) {
        wire.execute(() -> {
            List<Runnable> all;
            synchronized (this) {
                heldLane = -1;
                all = List.copyOf(held);
                held.clear();
            }
            all.forEach(Runnable::run);
        });
    }

    /** Keeps what a lane is about to do if the lane is held. */
    synchronized boolean holds(int lane, Runnable work) {
        return lane == heldLane && held.add(work);
    }

    /** What is held by a lane. */
    synchronized int held() {
        return held.size();
    }

    synchronized void resume() {
        wireStopped = false;
        completionsHeld = false;
        notifyAll();
    }

    /** The transmission after {@code good} more fails. */
    synchronized void failAfter(int good, WorkCompletionStatus status) {
        failIn = good;
        failWith = status;
    }

    /** Flips a bit of what the next transmission writes. */
    synchronized void damageNext() {
        damage = true;
    }

    synchronized boolean damages() {
        boolean now = damage;
        damage = false;
        return now;
    }

    synchronized WorkCompletionStatus next() {
        return failIn >= 0 && failIn-- == 0 ? failWith : null;
    }

    synchronized void awaitWire() {
        while (wireStopped) {
            await();
        }
    }

    synchronized void awaitCompletions() {
        while (completionsHeld) {
            await();
        }
    }

    private void await() {
        try {
            wait();
        } catch (InterruptedException e) {
            wireStopped = false;
            completionsHeld = false;
        }
    }
}

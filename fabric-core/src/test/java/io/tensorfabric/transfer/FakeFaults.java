package io.tensorfabric.transfer;

import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.concurrent.atomic.AtomicInteger;

/** What goes wrong at the sending end of a node. */
final class FakeFaults {

    volatile int laneDepth = 64;

    volatile boolean dropMessages;

    volatile boolean refuseZones;

    /** Writes that were carried out. */
    final AtomicInteger writes = new AtomicInteger();

    private boolean wireStopped;

    private boolean completionsHeld;

    private boolean damage;

    private int failIn = -1;

    private WorkCompletionStatus failWith;

    /** Nothing leaves the node until {@link #resume()}. */
    synchronized void stopWire() {
        wireStopped = true;
    }

    /** What is placed is not reported until {@link #resume()}. */
    synchronized void holdWireCompletions() {
        completionsHeld = true;
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

package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Has the ring looked into from which a half of a queue pair reads. Guarded by that half's lock, but for what looks. */
final class RingWatch implements Attention.Watched {

    private final Attention attention;

    private final ReentrantLock lock;

    private volatile @Nullable Link link;

    /** Whether whoever pays attention looks into the ring. */
    private boolean watched;

    /** When something came that woke the loop. */
    private long wokenAt;

    RingWatch(Attention attention, ReentrantLock lock) {
        this.attention = attention;
        this.lock = lock;
    }

    /** The connection's frames come by this ring from now on. */
    void begin(Link from, ByteRing ring) {
        from.rings().readFrom(ring);
        wokenAt = System.nanoTime() - Attention.QUIET_NANOS;
        link = from;
        attention.ringsChanged(1);
    }

    /** The connection is no more, and the memory of its rings about to go. */
    void end(Link from) {
        from.rings().close();
        if (link != null) {
            link = null;
            attention.ringsChanged(-1);
            leave();
        }
    }

    private void leave() {
        if (watched) {
            watched = false;
            attention.remove(this);
        }
    }

    /** Whether an empty ring can be left: somebody looks, or is woken; {@code false} if something came meanwhile. */
    boolean mayLeave(Link from) throws IOException {
        return isLookedInto(from) || from.rings().sleep();
    }

    private boolean isLookedInto(Link from) {
        if (!watched && attention.isPaid() && comesOften(from)) {
            watched = true;
            attention.add(this);
        }
        // Asked again, since whoever ended to pay attention before it was added has not seen it.
        return watched && attention.isPaid();
    }

    private boolean comesOften(Link from) {
        if (!from.rings().takeUsed()) {
            return false;
        }
        long before = wokenAt;
        wokenAt = System.nanoTime();
        return wokenAt - before < Attention.QUIET_NANOS;
    }

    @Override
    public void look() {
        Link present = link;
        if (present == null || !lock.tryLock()) {
            return;
        }
        boolean some;
        try {
            some = present.equals(link) && present.rings().hasSome();
        } catch (IOException ex) {
            present.close();
            return;
        } finally {
            lock.unlock();
        }
        if (some) {
            present.serveNow(SelectionKey.OP_READ);
        }
    }

    @Override
    public void sleep() {
        Link present = link;
        if (present != null) {
            present.serveNow(SelectionKey.OP_READ);
        }
    }

    @Override
    public void leaveIfQuiet() {
        Link present = link;
        if (present == null || !lock.tryLock()) {
            return;
        }
        try {
            if (!present.equals(link) || !watched || present.rings().takeUsed()) {
                return;
            }
            leave();
        } finally {
            lock.unlock();
        }
        present.serveNow(SelectionKey.OP_READ);
    }
}

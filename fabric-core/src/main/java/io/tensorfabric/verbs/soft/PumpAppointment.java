package io.tensorfabric.verbs.soft;

import java.util.concurrent.locks.Lock;

/** Lets a loop pump a requester at a later time; one appointment at once is enough. Guarded by the send lock. */
final class PumpAppointment {

    private final IoLoop loop;

    private final Lock lock;

    private final Runnable pump;

    private boolean made;

    private long time;

    PumpAppointment(IoLoop loop, Lock lock, Runnable pump) {
        this.loop = loop;
        this.lock = lock;
        this.pump = pump;
    }

    void at(long nanos) {
        if (made && time - nanos <= 0) {
            return;
        }
        made = true;
        time = nanos;
        loop.schedule(nanos, this::due);
    }

    private void due() {
        lock.lock();
        try {
            made = false;
            pump.run();
        } finally {
            lock.unlock();
        }
    }
}

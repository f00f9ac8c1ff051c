package io.tensorfabric.transfer;

/** Memory of this node that dedicated zones of all peers may take. Thread-safe. */
final class DedicatedBudget {

    private final long limit;

    private long used;

    DedicatedBudget(long limit) {
        this.limit = limit;
    }

    long limit() {
        return limit;
    }

    synchronized boolean take(long bytes) {
        if (bytes > limit - used) {
            return false;
        }
        used += bytes;
        return true;
    }

    synchronized void giveBack(long bytes) {
        used -= bytes;
        notifyAll();
    }

    synchronized long used() {
        return used;
    }

    /** Waits until something is given back, at most the given time; spurious wake-ups are possible. */
    @SuppressWarnings("WaitNotInLoop") // the caller is the loop
    synchronized void awaitChange(long millis) throws InterruptedException {
        wait(Math.max(1, millis));
    }
}

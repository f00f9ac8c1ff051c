package io.tensorfabric.verbs.soft;

/** The device's side of a memory region. */
final class Region extends Grant {

    private int windows;

    private boolean closing;

    Region(Object domain, long address, long length, int access) {
        super(domain, address, length, access, null);
    }

    /** Counts one more bound window; {@code false} when the region is being closed. */
    synchronized boolean attachWindow() {
        if (closing) {
            return false;
        }
        windows++;
        return true;
    }

    synchronized void detachWindow() {
        windows--;
    }

    /** Forbids new windows; returns how many are bound, and only when that is 0 are new ones forbidden. */
    synchronized int beginClose() {
        closing = windows == 0;
        return windows;
    }
}

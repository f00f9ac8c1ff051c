package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import org.jspecify.annotations.Nullable;

/** The device's side of a type-2 memory window. */
@SuppressWarnings("ReferenceEquality") // domains and queue pairs are who they are
final class Window {

    private static final int WRITING = AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();

    private static final int ALLOWED = WRITING | AccessFlag.REMOTE_READ.bit();

    private final KeyTable keys;

    private final SoftFaults faults;

    private final Object domain;

    private volatile int rkey;

    private @Nullable Binding binding;

    private boolean closed;

    /** What a bind opened: a grant that remembers its window and region. */
    static final class Binding extends Grant {

        private final Window window;

        private final Region region;

        private final int key;

        private Binding(Window window, Region region, int key, long address, long length, int access, Object scope) {
            super(window.domain, address, length, access, scope);
            this.window = window;
            this.region = region;
            this.key = key;
        }

        @Override
        long locate(long start) {
            return region.locate(start);
        }

        /** Unbinds, waiting for copies under way. */
        void invalidate() {
            window.unbind(this);
        }
    }

    Window(KeyTable keys, SoftFaults faults, Object domain) {
        this.keys = keys;
        this.faults = faults;
        this.domain = domain;
        this.rkey = keys.reserve();
    }

    int rkey() {
        return rkey;
    }

    /**
     * Binds as {@code rxe_check_bind_mw} of the kernel allows it: an unbound window, the same domain, a new low byte, a
     * region that allows binding and, for writing, may itself be written, and a range of at least a byte inside it.
     */
    synchronized boolean bind(Region region, Object queuePair, int newKey, long address, long length, int access) {
        boolean keyFits = (newKey ^ rkey) >>> 8 == 0 && newKey != rkey;
        boolean rightsFit = (access & ~ALLOWED) == 0
                && (region.access() & AccessFlag.MEMORY_WINDOW_BIND.bit()) != 0
                && ((access & WRITING) == 0 || (region.access() & AccessFlag.LOCAL_WRITE.bit()) != 0);
        boolean free = binding == null && !closed && region.belongsTo(domain);
        if (!keyFits || !rightsFit || !free || length <= 0 || !region.covers(address, length)) {
            return false;
        }
        if (!region.attachWindow()) {
            return false;
        }
        boolean all = faults.windowBoundsIgnored();
        binding = new Binding(
                this,
                region,
                newKey,
                all ? region.address() : address,
                all ? region.length() : length,
                access,
                queuePair);
        rkey = newKey;
        keys.publish(newKey, true, binding);
        return true;
    }

    private synchronized void unbind(Binding bound) {
        if (binding != bound) {
            return;
        }
        keys.withdraw(bound.key);
        if (!bound.revoke()) {
            throw new VerbsException(
                    "ibv_dealloc_mw", Errno.EBUSY, "the memory window is still being copied from or to");
        }
        binding = null;
        bound.region.detachWindow();
    }

    /** Unbinds if it is bound through this queue pair, which is going away. */
    synchronized void forget(Object queuePair) {
        if (binding != null && binding.scope() == queuePair) {
            unbind(binding);
        }
    }

    synchronized boolean belongsTo(Object userDomain) {
        return domain == userDomain;
    }

    synchronized void close() {
        closed = true;
        if (binding != null) {
            unbind(binding);
        }
        keys.release(rkey);
    }
}

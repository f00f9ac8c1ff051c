package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.MemoryWindow;
import io.tensorfabric.verbs.SendRequests;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A memory window of type 2. */
final class IbverbsMemoryWindow extends IbverbsResource implements MemoryWindow {

    private static final String CREATE = "ibv_alloc_mw";

    private final IbverbsProtectionDomain domain;

    private final long id = ObjectIds.next();

    private volatile int rkey;

    /** A bind was posted and no invalidation since; guarded by this. */
    private boolean bound;

    /**
     * The queue pairs that it was bound through since it was made or renewed. All of them, for a bind that was posted may
     * fail and leave an earlier one in force.
     */
    private final Set<WindowBindings> bindings = ConcurrentHashMap.newKeySet();

    private IbverbsMemoryWindow(IbverbsProtectionDomain domain, long window) {
        super(new NativeHandle(
                "memory window of " + domain.device().deviceName(),
                window,
                "ibv_dealloc_mw",
                NativeVerbs::destroyWindow,
                domain.handle));
        this.domain = domain;
        this.rkey = NativeVerbs.windowKey(window);
    }

    /** Allocates a window in a domain that the caller has entered. */
    static IbverbsMemoryWindow create(IbverbsProtectionDomain owner, long domain) {
        long address = Failures.check(
                NativeVerbs.createWindow(domain),
                CREATE,
                "device " + owner.device().deviceName());
        IbverbsMemoryWindow window = new IbverbsMemoryWindow(owner, address);
        owner.device().ids().put(window.id, window);
        owner.device().windows().add(window.rkey, window);
        return window;
    }

    @Override
    public long handle() {
        return id;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    /** Posts a bind to a queue pair that the caller has entered; returns 0 or -errno. */
    int bind(long queuePair, long request, IbverbsMemoryRegion region, WindowBindings target) {
        long window = handle.enter();
        try {
            long memory = region.handle.enter();
            try {
                return post(queuePair, request, window, memory, target);
            } finally {
                region.handle.exit();
            }
        } finally {
            handle.exit();
        }
    }

    private synchronized int post(long queuePair, long request, long window, long memory, WindowBindings target) {
        int rc = NativeVerbs.postBind(queuePair, request, window, memory);
        if (rc == 0) {
            rkey = OffHeap.getInt(request + SendRequests.OFFSET_BIND_RKEY);
            bound = true;
            bindings.add(target);
            target.add(this);
        }
        return rc;
    }

    /**
     * Posts a local invalidation to a queue pair that the caller has entered; returns 0 or -errno, -EINVAL when the window
     * is not bound: rxe of kernel 6.1 takes such a request and panics ({@code rxe_do_invalidate_mw} follows the pointer to
     * the queue pair that the window is bound to).
     */
    int invalidate(long queuePair, long request) {
        handle.enter();
        try {
            return postInvalidation(queuePair, request);
        } finally {
            handle.exit();
        }
    }

    private synchronized int postInvalidation(long queuePair, long request) {
        if (!bound || OffHeap.getInt(request + SendRequests.OFFSET_RKEY) != rkey) {
            return -Errno.EINVAL.number();
        }
        int rc = NativeVerbs.postInvalidation(queuePair, request);
        bound &= rc != 0;
        return rc;
    }

    /** Unbinds it by putting a new native window, with a new key, in its place. */
    void renew() {
        if (!domain.handle.tryEnter()) {
            // Its windows were closed before it.
            return;
        }
        try {
            long owner = domain.handle.address();
            handle.replace(() -> {
                forgetBindings();
                long window = NativeVerbs.createWindow(owner);
                if (window >= 0) {
                    adoptKey(NativeVerbs.windowKey(window));
                }
                return window;
            });
        } finally {
            domain.handle.exit();
        }
    }

    private synchronized void adoptKey(int key) {
        domain.device().windows().remove(rkey, this);
        rkey = key;
        bound = false;
        domain.device().windows().add(key, this);
    }

    @Override
    void afterClose() {
        domain.device().ids().remove(id);
        domain.device().windows().remove(rkey, this);
        forgetBindings();
    }

    private void forgetBindings() {
        for (WindowBindings each : bindings) {
            each.remove(this);
        }
        bindings.clear();
    }
}

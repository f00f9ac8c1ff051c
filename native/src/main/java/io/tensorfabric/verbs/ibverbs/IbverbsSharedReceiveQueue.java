package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.SharedReceiveQueue;

/** A shared receive queue. */
final class IbverbsSharedReceiveQueue extends IbverbsResource implements SharedReceiveQueue {

    private static final String CREATE = "ibv_create_srq";

    private final IbverbsContext context;

    private final long id;

    private final int capacity;

    private final int maxElements;

    private IbverbsSharedReceiveQueue(
            IbverbsProtectionDomain domain, long queue, long id, int capacity, int maxElements) {
        super(new NativeHandle(
                "shared receive queue of " + domain.device().deviceName(),
                queue,
                "ibv_destroy_srq",
                NativeVerbs::destroySharedQueue,
                domain.handle));
        this.context = domain.device();
        this.id = id;
        this.capacity = capacity;
        this.maxElements = maxElements;
        context.ids().put(id, this);
    }

    /** Creates a queue in a domain that the caller has entered. */
    static IbverbsSharedReceiveQueue create(
            IbverbsProtectionDomain owner, long domain, int maxRequests, int maxElements) {
        if (maxRequests < 1 || maxElements < 0) {
            throw Failures.invalid(CREATE, maxRequests + " work requests of " + maxElements + " elements");
        }
        long id = ObjectIds.next();
        try (Scratch granted = new Scratch(Integer.BYTES)) {
            long queue = Failures.check(
                    NativeVerbs.createSharedQueue(domain, maxRequests, maxElements, id, granted.address()),
                    CREATE,
                    maxRequests + " work requests on device " + owner.device().deviceName());
            return new IbverbsSharedReceiveQueue(owner, queue, id, granted.getInt(0), maxElements);
        }
    }

    IbverbsContext device() {
        return context;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public int post(ReceiveRequests requests) {
        long queue = handle.enter();
        try {
            long result = NativeVerbs.postShared(queue, requests.address(), requests.size());
            int errno = (int) (result >>> Integer.SIZE);
            return errno == 0
                    ? (int) result
                    : RefusedPosts.receive(
                            "ibv_post_srq_recv", handle.name(), errno, (int) result, requests, maxElements);
        } finally {
            handle.exit();
        }
    }

    @Override
    public void armLimit(int limit) {
        long queue = handle.enter();
        try {
            if (limit < 0) {
                throw Failures.invalid("ibv_modify_srq", "a limit of " + limit);
            }
            Failures.check(
                    NativeVerbs.armLimit(queue, limit),
                    "ibv_modify_srq",
                    "a limit of " + limit + " on the " + handle.name() + " of " + capacity);
        } finally {
            handle.exit();
        }
    }

    @Override
    void afterClose() {
        context.ids().remove(id);
    }
}

package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.SharedReceiveQueue;
import io.tensorfabric.verbs.VerbsException;
import java.lang.ref.WeakReference;

/** Handle of a shared receive queue. */
final class SoftSharedReceiveQueue extends SoftResource implements SharedReceiveQueue {

    private final SoftProtectionDomain domain;

    private final ReceiveRing ring;

    SoftSharedReceiveQueue(SoftProtectionDomain domain, int capacity, int maxElements) {
        super(new Lifecycle("shared receive queue " + domain.engine().nextId(), "ibv_destroy_srq", domain.lifecycle()));
        this.domain = domain;
        this.ring = new ReceiveRing(capacity, maxElements, "ibv_post_srq_recv");
        AsyncEvents events = domain.engine().events();
        WeakReference<SharedReceiveQueue> handle = new WeakReference<>(this);
        ring.onLimitReached(() -> {
            SharedReceiveQueue element = handle.get();
            if (element != null) {
                events.add(AsyncEventType.SRQ_LIMIT_REACHED, element, 0);
            }
        });
    }

    SoftProtectionDomain domain() {
        return domain;
    }

    ReceiveRing ring() {
        return ring;
    }

    @Override
    public int capacity() {
        return ring.capacity();
    }

    @Override
    public int post(ReceiveRequests requests) {
        checkOpen();
        domain.engine().faults().checkCall("ibv_post_srq_recv");
        return ring.post(requests);
    }

    @Override
    public void armLimit(int limit) {
        checkOpen();
        domain.engine().faults().checkCall("ibv_modify_srq");
        if (limit < 0 || limit > ring.capacity()) {
            throw new VerbsException(
                    "ibv_modify_srq",
                    Errno.EINVAL,
                    "the limit must be 0 to the capacity of " + ring.capacity() + ", not " + limit);
        }
        ring.armLimit(limit);
    }

    @Override
    void destroy() {
        domain.engine().faults().checkCall("ibv_destroy_srq");
        ring.free();
        domain.engine().events().forget(this);
        domain.engine().sharedQuota().give();
    }
}

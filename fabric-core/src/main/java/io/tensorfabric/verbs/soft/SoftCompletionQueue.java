package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.WorkCompletions;
import org.jspecify.annotations.Nullable;

/** Handle of a completion queue. */
final class SoftCompletionQueue extends SoftResource implements CompletionQueue {

    private final SoftContext context;

    private final CompletionRing ring;

    SoftCompletionQueue(SoftContext context, int capacity, @Nullable SoftCompletionChannel channel) {
        super(lifecycle(context, channel));
        this.context = context;
        this.ring = new CompletionRing(context.engine(), capacity, channel == null ? null : channel.events());
        ring.handle(this);
        context.engine().addCompletionRing(ring);
    }

    private static Lifecycle lifecycle(SoftContext context, @Nullable SoftCompletionChannel channel) {
        String name = "completion queue " + context.engine().nextId();
        String call = "ibv_destroy_cq";
        return channel == null
                ? new Lifecycle(name, call, context.lifecycle())
                : new Lifecycle(name, call, context.lifecycle(), channel.lifecycle());
    }

    SoftContext context() {
        return context;
    }

    CompletionRing ring() {
        return ring;
    }

    @Override
    public int capacity() {
        return ring.capacity();
    }

    @Override
    public int poll(WorkCompletions completions) {
        checkOpen();
        int count = ring.poll(completions.address(), completions.capacity());
        if (count > 0 || !context.engine().attention().isPaid()) {
            return count;
        }
        context.engine().attention().look();
        return ring.poll(completions.address(), completions.capacity());
    }

    @Override
    public void attend(boolean polling) {
        ring.attend(polling);
        if (polling) {
            context.engine().attention().begin();
        } else {
            context.engine().attention().end();
        }
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        checkOpen();
        if (ring.channel() == null) {
            throw new IllegalStateException("The " + this + " was made without a channel for its events");
        }
        context.engine().faults().checkCall("ibv_req_notify_cq");
        ring.arm(solicitedOnly);
    }

    @Override
    void destroy() {
        Engine engine = context.engine();
        engine.faults().checkCall("ibv_destroy_cq");
        engine.removeCompletionRing(ring);
        ring.free();
        engine.events().forget(this);
        engine.queueQuota().give();
    }
}

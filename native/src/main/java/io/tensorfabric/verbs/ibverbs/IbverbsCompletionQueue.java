package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.WorkCompletions;
import org.jspecify.annotations.Nullable;

/** A completion queue. */
final class IbverbsCompletionQueue extends IbverbsResource implements CompletionQueue {

    private static final String CREATE = "ibv_create_cq";

    private final IbverbsContext context;

    private final long id;

    private final int capacity;

    private final boolean notifies;

    private IbverbsCompletionQueue(
            IbverbsContext context, long queue, long id, boolean notifies, NativeHandle[] parents) {
        super(new NativeHandle(
                "completion queue of " + context.deviceName(),
                queue,
                "ibv_destroy_cq",
                NativeVerbs::destroyCompletionQueue,
                parents));
        this.context = context;
        this.id = id;
        this.capacity = NativeVerbs.completionQueueCapacity(queue);
        this.notifies = notifies;
        context.ids().put(id, this);
    }

    /** Creates a queue of a device whose context the caller has entered. */
    static IbverbsCompletionQueue create(
            IbverbsContext context, long device, int entries, @Nullable IbverbsCompletionChannel channel) {
        if (entries < 1) {
            throw Failures.invalid(CREATE, entries + " entries");
        }
        if (channel == null) {
            return create(context, device, entries, 0, context.handle);
        }
        if (channel.device() != context) {
            throw new IllegalArgumentException("A completion queue of " + context.deviceName()
                    + " needs a completion channel of the same context, not " + channel);
        }
        long address = channel.handle.enter();
        try {
            return create(context, device, entries, address, context.handle, channel.handle);
        } finally {
            channel.handle.exit();
        }
    }

    private static IbverbsCompletionQueue create(
            IbverbsContext context, long device, int entries, long channel, NativeHandle... parents) {
        long id = ObjectIds.next();
        long queue = Failures.check(
                NativeVerbs.createCompletionQueue(device, entries, id, channel),
                CREATE,
                entries + " entries on device " + context.deviceName());
        return new IbverbsCompletionQueue(context, queue, id, channel != 0, parents);
    }

    IbverbsContext device() {
        return context;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public int poll(WorkCompletions completions) {
        long queue = handle.enter();
        try {
            int count = NativeVerbs.poll(queue, completions.address(), completions.capacity());
            if (count < 0) {
                throw Failures.of("ibv_poll_cq", count, "the " + handle.name() + " has failed, perhaps by an overrun");
            }
            return count;
        } finally {
            handle.exit();
        }
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        long queue = handle.enter();
        try {
            if (!notifies) {
                throw new IllegalStateException("The " + handle.name() + " has no completion channel");
            }
            Failures.check(NativeVerbs.arm(queue, solicitedOnly ? 1 : 0), "ibv_req_notify_cq", handle.name());
        } finally {
            handle.exit();
        }
    }

    @Override
    void afterClose() {
        context.ids().remove(id);
    }
}

package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.Errno;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A completion channel with a file descriptor beside it that ends waits. */
final class IbverbsCompletionChannel extends IbverbsResource implements CompletionChannel {

    private final IbverbsContext context;

    private final int wake;

    private IbverbsCompletionChannel(IbverbsContext context, long address, int wake) {
        super(new NativeHandle(
                "completion channel of " + context.deviceName(),
                address,
                "ibv_destroy_comp_channel",
                channel -> {
                    int rc = NativeVerbs.destroyChannel(channel);
                    return rc < 0 ? rc : NativeVerbs.closeWake(wake);
                },
                context.handle));
        this.context = context;
        this.wake = wake;
    }

    /** Creates a channel of a device whose context the caller has entered. */
    static IbverbsCompletionChannel create(IbverbsContext context, long device) {
        int wake = (int) Failures.check(NativeVerbs.createWake(), "eventfd", "for a completion channel");
        long channel = NativeVerbs.createChannel(device);
        if (channel < 0) {
            NativeVerbs.closeWake(wake);
            throw Failures.of("ibv_create_comp_channel", channel, "device " + context.deviceName());
        }
        return new IbverbsCompletionChannel(context, channel, wake);
    }

    IbverbsContext device() {
        return context;
    }

    @Override
    public @Nullable CompletionQueue await(Duration timeout) {
        if (!handle.tryEnter()) {
            return null;
        }
        try {
            Deadline deadline = Deadline.after(timeout);
            while (true) {
                long result = NativeVerbs.awaitCompletion(handle.address(), wake, deadline.restNanos());
                if (result > 0) {
                    CompletionQueue queue = context.ids().find(result, IbverbsCompletionQueue.class);
                    if (queue != null) {
                        return queue;
                    }
                    // The queue was closed meanwhile: its event is nobody's.
                } else if (result == -Errno.ETIMEDOUT.number() || result == -Errno.EINTR.number()) {
                    return null;
                } else if (result != -Errno.EAGAIN.number()) {
                    throw Failures.of("ibv_get_cq_event", result, "device " + context.deviceName());
                }
            }
        } finally {
            handle.exit();
        }
    }

    @Override
    public void wakeUp() {
        handle.enter();
        try {
            Failures.check(NativeVerbs.signalWake(wake), "eventfd", "waking a completion channel");
        } finally {
            handle.exit();
        }
    }

    @Override
    void wakeWaiters() {
        NativeVerbs.signalWake(wake);
    }
}

package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.SharedReceiveQueue;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Creates queue pairs. Holds all that a new one depends on open meanwhile. */
final class QueuePairFactory implements AutoCloseable {

    private static final String CREATE = "ibv_create_qp";

    private final Deque<NativeHandle> entered = new ArrayDeque<>();

    private final IbverbsProtectionDomain owner;

    private QueuePairFactory(IbverbsProtectionDomain owner) {
        this.owner = owner;
    }

    /** Creates a queue pair in a domain that the caller has entered. */
    static IbverbsQueuePair create(IbverbsProtectionDomain owner, long domain, QueuePairOptions options) {
        checkSizes(options.capabilities());
        try (QueuePairFactory factory = new QueuePairFactory(owner)) {
            return factory.create(domain, options);
        }
    }

    private static void checkSizes(QueuePairCapabilities sizes) {
        if (sizes.maxSendRequests() < 0
                || sizes.maxReceiveRequests() < 0
                || sizes.maxSendElements() < 0
                || sizes.maxReceiveElements() < 0
                || sizes.maxInlineData() < 0) {
            throw Failures.invalid(CREATE, "a negative size in " + sizes);
        }
    }

    private IbverbsQueuePair create(long domain, QueuePairOptions options) {
        IbverbsCompletionQueue sends = own(options.sendQueue());
        IbverbsCompletionQueue receives = own(options.receiveQueue());
        IbverbsSharedReceiveQueue shared = own(options.sharedReceiveQueue());
        long sendQueue = enter(sends.handle);
        long receiveQueue = enter(receives.handle);
        long sharedQueue = shared == null ? 0 : enter(shared.handle);
        long id = ObjectIds.next();
        try (Scratch raw = new Scratch(Layout.OPTIONS_SIZE)) {
            write(options, raw);
            long queuePair = Failures.check(
                    NativeVerbs.createQueuePair(domain, id, sendQueue, receiveQueue, sharedQueue, raw.address()),
                    CREATE,
                    options.type() + " with " + options.capabilities() + " on device "
                            + owner.device().deviceName());
            NativeHandle[] parents = shared == null
                    ? new NativeHandle[] {owner.handle, sends.handle, receives.handle}
                    : new NativeHandle[] {owner.handle, sends.handle, receives.handle, shared.handle};
            return IbverbsQueuePair.adopt(owner.device(), queuePair, id, options.type(), granted(raw), parents);
        }
    }

    private long enter(NativeHandle handle) {
        long address = handle.enter();
        entered.push(handle);
        return address;
    }

    private IbverbsCompletionQueue own(CompletionQueue queue) {
        if (queue instanceof IbverbsCompletionQueue mine && mine.device() == owner.device()) {
            return mine;
        }
        throw new IllegalArgumentException("A queue pair of " + owner.device().deviceName()
                + " needs completion queues of the same context, not " + queue);
    }

    private @Nullable IbverbsSharedReceiveQueue own(@Nullable SharedReceiveQueue queue) {
        if (queue == null) {
            return null;
        }
        if (queue instanceof IbverbsSharedReceiveQueue mine && mine.device() == owner.device()) {
            return mine;
        }
        throw new IllegalArgumentException("A queue pair of " + owner.device().deviceName()
                + " needs a shared receive queue of the same context, not " + queue);
    }

    private static void write(QueuePairOptions options, Scratch raw) {
        QueuePairCapabilities sizes = options.capabilities();
        raw.putInt(Layout.OPTIONS_TYPE, options.type().code());
        raw.putInt(Layout.OPTIONS_SIGNAL_ALL, options.signalAll() ? 1 : 0);
        raw.putInt(Layout.OPTIONS_MAX_SEND_REQUESTS, sizes.maxSendRequests());
        raw.putInt(Layout.OPTIONS_MAX_RECEIVE_REQUESTS, sizes.maxReceiveRequests());
        raw.putInt(Layout.OPTIONS_MAX_SEND_ELEMENTS, sizes.maxSendElements());
        raw.putInt(Layout.OPTIONS_MAX_RECEIVE_ELEMENTS, sizes.maxReceiveElements());
        raw.putInt(Layout.OPTIONS_MAX_INLINE, sizes.maxInlineData());
    }

    private static QueuePairCapabilities granted(Scratch raw) {
        return new QueuePairCapabilities(
                raw.getInt(Layout.OPTIONS_MAX_SEND_REQUESTS),
                raw.getInt(Layout.OPTIONS_MAX_RECEIVE_REQUESTS),
                raw.getInt(Layout.OPTIONS_MAX_SEND_ELEMENTS),
                raw.getInt(Layout.OPTIONS_MAX_RECEIVE_ELEMENTS),
                raw.getInt(Layout.OPTIONS_MAX_INLINE));
    }

    @Override
    public void close() {
        entered.forEach(NativeHandle::exit);
    }
}

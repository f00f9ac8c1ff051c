package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairAttribute;
import io.tensorfabric.verbs.QueuePairAttributes;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.QueuePairTransitions;
import io.tensorfabric.verbs.QueuePairType;
import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.VerbsException;
import org.jspecify.annotations.Nullable;

/** A queue pair. */
final class IbverbsQueuePair extends IbverbsResource implements QueuePair {

    private static final String MODIFY = "ibv_modify_qp";

    private static final String POST_SEND = "ibv_post_send";

    private static final String POST_RECEIVE = "ibv_post_recv";

    private final IbverbsContext context;

    private final long id;

    private final QueuePairType type;

    private final int number;

    private final QueuePairCapabilities capabilities;

    private final WindowBindings bindings;

    /**
     * The state that it was moved to last. The device moves it on to SQE or ERR by itself, where posts are taken, so this
     * is enough to refuse posts that come too early: some drivers would take those and forget them.
     */
    private volatile QueuePairState movedTo = QueuePairState.RESET;

    /** The port given at INIT, which the path needs too. */
    private volatile int port;

    private IbverbsQueuePair(
            IbverbsContext context,
            NativeHandle handle,
            long id,
            QueuePairType type,
            int number,
            QueuePairCapabilities capabilities,
            WindowBindings bindings) {
        super(handle);
        this.context = context;
        this.id = id;
        this.type = type;
        this.number = number;
        this.capabilities = capabilities;
        this.bindings = bindings;
        context.ids().put(id, this);
    }

    /** Takes over a new queue pair, all of whose parents the caller has entered. */
    static IbverbsQueuePair adopt(
            IbverbsContext context,
            long queuePair,
            long id,
            QueuePairType type,
            QueuePairCapabilities capabilities,
            NativeHandle... parents) {
        WindowBindings bindings = new WindowBindings();
        int number = NativeVerbs.queuePairNumber(queuePair);
        NativeHandle handle = new NativeHandle(
                "queue pair " + number + " of " + context.deviceName(),
                queuePair,
                "ibv_destroy_qp",
                address -> {
                    bindings.release();
                    return NativeVerbs.destroyQueuePair(address);
                },
                parents);
        return new IbverbsQueuePair(context, handle, id, type, number, capabilities, bindings);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public @Nullable String providerAddress() {
        return null;
    }

    @Override
    public QueuePairState state() {
        return query().state();
    }

    @Override
    public QueuePairAttributes query() {
        long queuePair = handle.enter();
        try {
            return query(queuePair);
        } finally {
            handle.exit();
        }
    }

    private QueuePairAttributes query(long queuePair) {
        try (Scratch raw = new Scratch(Layout.PAIR_SIZE)) {
            Failures.check(NativeVerbs.query(queuePair, raw.address()), "ibv_query_qp", handle.name());
            return QueuePairCodec.read(raw);
        }
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        long queuePair = handle.enter();
        try (Scratch raw = new Scratch(Layout.PAIR_SIZE)) {
            QueuePairCodec.write(attributes, port, raw);
            int rc = NativeVerbs.modify(queuePair, raw.address(), QueuePairCodec.mask(attributes));
            if (rc < 0) {
                throw refused(queuePair, rc, attributes);
            }
            if (attributes.has(QueuePairAttribute.PORT)) {
                port = attributes.port();
            }
            if (attributes.has(QueuePairAttribute.STATE)) {
                movedTo = attributes.state();
            }
        } finally {
            handle.exit();
        }
    }

    private VerbsException refused(long queuePair, int rc, QueuePairAttributes attributes) {
        QueuePairState from = query(queuePair).state();
        QueuePairState to = attributes.has(QueuePairAttribute.STATE) ? attributes.state() : from;
        if (rc == -Errno.EINVAL.number() && type == QueuePairType.RC) {
            QueuePairTransitions.check(handle.name(), from, to, attributes);
        }
        String path = attributes.has(QueuePairAttribute.PATH) ? " over " + attributes.path() : "";
        return Failures.of(
                MODIFY,
                rc,
                handle.name() + ", port " + port + ", from " + from + " to " + to + " with " + attributes.mask()
                        + path);
    }

    @Override
    public int postSend(SendRequests requests) {
        long queuePair = handle.enter();
        try {
            long address = requests.address();
            int count = requests.size();
            checkSendable(count);
            int accepted = 0;
            while (true) {
                long result = NativeVerbs.postSend(
                        queuePair, address + (long) accepted * SendRequests.STRIDE, count - accepted);
                accepted += (int) result;
                int errno = (int) (result >>> Integer.SIZE);
                if (errno == 0) {
                    return accepted;
                }
                long request = address + (long) accepted * SendRequests.STRIDE;
                if (errno == NativeVerbs.BIND_FOLLOWS) {
                    errno = bind(queuePair, request, accepted);
                } else if (errno == NativeVerbs.INVALIDATION_FOLLOWS) {
                    errno = invalidate(queuePair, request, accepted);
                }
                if (errno != 0) {
                    return RefusedPosts.send(handle.name(), errno, accepted, requests, capabilities);
                }
                accepted++;
            }
        } finally {
            handle.exit();
        }
    }

    private void checkSendable(int count) {
        QueuePairState state = movedTo;
        if (count > 0
                && (state == QueuePairState.RESET || state == QueuePairState.INIT || state == QueuePairState.RTR)) {
            throw Failures.invalid(POST_SEND, handle.name() + " is in " + state + ", and sends are taken from RTS on");
        }
    }

    /** Posts one bind and returns 0 or an errno. */
    private int bind(long queuePair, long request, int accepted) {
        ObjectIds ids = context.ids();
        IbverbsMemoryWindow window =
                ids.find(OffHeap.getLong(request + SendRequests.OFFSET_BIND_WINDOW), IbverbsMemoryWindow.class);
        IbverbsMemoryRegion region =
                ids.find(OffHeap.getLong(request + SendRequests.OFFSET_BIND_REGION), IbverbsMemoryRegion.class);
        if (window == null || region == null) {
            throw new VerbsException(
                    POST_SEND,
                    Errno.EINVAL,
                    "request " + accepted + " on the " + handle.name()
                            + " binds a memory window or region that is closed or of another device",
                    accepted);
        }
        return -window.bind(queuePair, request, region, bindings);
    }

    /** Posts one local invalidation and returns 0 or an errno. */
    private int invalidate(long queuePair, long request, int accepted) {
        IbverbsMemoryWindow window = context.windows().find(OffHeap.getInt(request + SendRequests.OFFSET_RKEY));
        if (window == null) {
            return -NativeVerbs.postInvalidation(queuePair, request);
        }
        int rc = window.invalidate(queuePair, request);
        if (rc == -Errno.EINVAL.number()) {
            throw new VerbsException(
                    POST_SEND,
                    Errno.EINVAL,
                    "request " + accepted + " on the " + handle.name()
                            + " invalidates a memory window that is not bound; bind it first",
                    accepted);
        }
        return -rc;
    }

    @Override
    public int postReceive(ReceiveRequests requests) {
        long queuePair = handle.enter();
        try {
            if (movedTo == QueuePairState.RESET) {
                throw Failures.invalid(
                        POST_RECEIVE, handle.name() + " is in RESET, and receives are taken from INIT on");
            }
            long result = NativeVerbs.postReceive(queuePair, requests.address(), requests.size());
            int errno = (int) (result >>> Integer.SIZE);
            return errno == 0
                    ? (int) result
                    : RefusedPosts.receive(
                            POST_RECEIVE,
                            handle.name(),
                            errno,
                            (int) result,
                            requests,
                            capabilities.maxReceiveElements());
        } finally {
            handle.exit();
        }
    }

    @Override
    void afterClose() {
        context.ids().remove(id);
    }
}

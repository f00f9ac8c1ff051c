package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.AsyncEvent;
import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.Errno;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Takes asynchronous events of a device and finds the objects that they concern. */
final class AsyncEvents {

    private static final AsyncEventType[] TYPES = AsyncEventType.values();

    private AsyncEvents() {}

    /** Waits inside the handle, which the caller has entered. */
    static @Nullable AsyncEvent await(
            IbverbsContext context, NativeHandle handle, int wake, Duration timeout, Scratch scratch) {
        Deadline deadline = Deadline.after(timeout);
        while (!handle.isClosing()) {
            int rc = NativeVerbs.awaitEvent(handle.address(), wake, deadline.restNanos(), scratch.address());
            AsyncEvent event = rc == 0 ? read(context, scratch) : null;
            if (event != null) {
                return event;
            }
            if (rc == -Errno.ETIMEDOUT.number()) {
                return null;
            }
            boolean again = rc == 0 || rc == -Errno.EINTR.number() || rc == -Errno.EAGAIN.number();
            if (!again) {
                throw Failures.of("ibv_get_async_event", rc, "device " + context.deviceName());
            }
        }
        return null;
    }

    /** {@code null} for kinds that are not in the vocabulary and for objects closed meanwhile. */
    private static @Nullable AsyncEvent read(IbverbsContext context, Scratch scratch) {
        int type = scratch.getInt(Layout.EVENT_TYPE);
        if (type < 0 || type >= TYPES.length) {
            return null;
        }
        int port = scratch.getInt(Layout.EVENT_PORT);
        long id = scratch.getLong(Layout.EVENT_ELEMENT);
        if (id == 0) {
            return new AsyncEvent(TYPES[type], null, port);
        }
        IbverbsResource element = context.ids().find(id, IbverbsResource.class);
        return element == null ? null : new AsyncEvent(TYPES[type], element, port);
    }
}

package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.VerbsResource;
import java.lang.ref.Cleaner;

/** What all objects of this provider share: closing in order, once, and the report of a forgotten close. */
abstract class IbverbsResource implements VerbsResource {

    private static final Cleaner CLEANER = Cleaner.create();

    final NativeHandle handle;

    IbverbsResource(NativeHandle handle) {
        this.handle = handle;
        CLEANER.register(this, handle);
    }

    @Override
    public final boolean isClosed() {
        return handle.isClosed();
    }

    @Override
    public final void close() {
        handle.close(this::wakeWaiters);
        afterClose();
    }

    /** Ends waits inside native calls on this object; may run many times. */
    void wakeWaiters() {}

    /** Forgets the object; may run more than once. */
    void afterClose() {}

    /** Kind and name, without keys or addresses. */
    @Override
    public final String toString() {
        return handle.name();
    }
}

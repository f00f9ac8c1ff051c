package io.tensorfabric.verbs.ibverbs;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a device by the numbers that native code knows them by. Numbers are never used again, so that a late
 * event or an old work request cannot reach an object that took the place of a closed one. Holds objects weakly, so that
 * a forgotten one can be collected and reported.
 */
final class ObjectIds {

    /** One sequence for all devices, so that an object is not taken for one of another device. */
    private static final AtomicLong LAST = new AtomicLong();

    private final Map<Long, WeakReference<IbverbsResource>> objects = new ConcurrentHashMap<>();

    /** A new number, greater than 0. */
    static long next() {
        return LAST.incrementAndGet();
    }

    void put(long id, IbverbsResource object) {
        objects.put(id, new WeakReference<>(object));
    }

    void remove(long id) {
        objects.remove(id);
    }

    /** The object of a number if it is of this type and open, else {@code null}. */
    <T extends IbverbsResource> @Nullable T find(long id, Class<T> type) {
        WeakReference<IbverbsResource> reference = objects.get(id);
        IbverbsResource object = reference == null ? null : reference.get();
        return type.isInstance(object) && !object.isClosed() ? type.cast(object) : null;
    }
}

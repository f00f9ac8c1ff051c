package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.MemoryWindow;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.SharedReceiveQueue;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsResource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The objects that random operations of all threads share, open and closed ones. */
final class ObjectPool implements AutoCloseable {

    /** Kinds in the order in which they can be closed. */
    enum Kind {
        QUEUE_PAIR(QueuePair.class),
        SHARED_QUEUE(SharedReceiveQueue.class),
        QUEUE(CompletionQueue.class),
        CHANNEL(CompletionChannel.class),
        WINDOW(MemoryWindow.class),
        REGION(MemoryRegion.class),
        DOMAIN(ProtectionDomain.class),
        CONTEXT(VerbsContext.class);

        private final Class<? extends VerbsResource> type;

        Kind(Class<? extends VerbsResource> type) {
            this.type = type;
        }
    }

    /** Bytes that all regions lie in, so that no stray access leaves allocated memory. */
    static final int MEMORY = 1 << 20;

    private static final int MOST = 24;

    /** Few, so that objects picked at random often belong together. */
    private static final int MOST_CONTEXTS = 2;

    private static final int MOST_DOMAINS = 3;

    private final List<VerbsDevice> devices;

    private final Map<Kind, List<VerbsResource>> objects = new EnumMap<>(Kind.class);

    private final long memory = OffHeap.allocate(MEMORY, OffHeap.pageSize());

    ObjectPool(List<VerbsDevice> devices) {
        this.devices = devices;
        OffHeap.fill(memory, MEMORY, (byte) 0);
        for (Kind kind : Kind.values()) {
            objects.put(kind, new ArrayList<>());
        }
    }

    long memory() {
        return memory;
    }

    VerbsDevice device(RandomGenerator random) {
        return devices.get(random.nextInt(devices.size()));
    }

    /** Any object of a kind, perhaps a closed one; {@code null} when there is none. */
    synchronized @Nullable VerbsResource any(Kind kind, RandomGenerator random) {
        List<VerbsResource> all = objects.get(kind);
        return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    <T> @Nullable T any(Kind kind, Class<T> type, RandomGenerator random) {
        return type.cast(any(kind, random));
    }

    synchronized boolean isFull(Kind kind) {
        int most = kind == Kind.CONTEXT ? MOST_CONTEXTS : kind == Kind.DOMAIN ? MOST_DOMAINS : MOST;
        return objects.get(kind).size() >= most;
    }

    synchronized void add(VerbsResource object) {
        for (Kind kind : Kind.values()) {
            if (kind.type.isInstance(object)) {
                objects.get(kind).add(object);
            }
        }
    }

    /** Forgets an object if it is closed. */
    synchronized void remove(Kind kind, VerbsResource object) {
        if (object.isClosed()) {
            objects.get(kind).remove(object);
        }
    }

    @Override
    public void close() {
        for (Kind kind : Kind.values()) {
            for (VerbsResource object : objects.get(kind)) {
                object.close();
            }
        }
        OffHeap.free(memory);
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.DeviceAttributes;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.MemoryWindow;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.SharedReceiveQueue;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Registers memory in name only, and knows what is registered. */
final class FakeDomain implements ProtectionDomain {

    private final AtomicInteger keys = new AtomicInteger(1);

    private final Map<Integer, FakeRegion> regions = new ConcurrentHashMap<>();

    /** Longest region; longer ranges need several. */
    volatile long largestRegion = -1;

    volatile boolean failDeregistrations;

    @Override
    public VerbsContext context() {
        return (VerbsContext) Proxy.newProxyInstance(
                FakeDomain.class.getClassLoader(), new Class<?>[] {VerbsContext.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "deviceName" -> "fake0";
                        case "queryDevice" ->
                            new DeviceAttributes("1", 1, 1, 1, 1, 1, 1, 1, 1, largestRegion, 1, true, 1, 1, 1, 1, 1, 0);
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    @Override
    public MemoryRegion registerMemory(long address, long length, Set<AccessFlag> access) {
        FakeRegion region = new FakeRegion(keys.getAndIncrement(), address, length);
        regions.put(region.key, region);
        return region;
    }

    int regionCount() {
        return regions.size();
    }

    boolean covers(int lkey, long address, long length) {
        FakeRegion region = regions.get(lkey);
        return region != null && address >= region.address && address + length <= region.address + region.length;
    }

    @Override
    public MemoryWindow allocateMemoryWindow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int maxWorkRequests, int maxScatterGatherElements) {
        throw new UnsupportedOperationException();
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void close() {}

    private final class FakeRegion implements MemoryRegion {

        private final int key;
        private final long address;
        private final long length;

        FakeRegion(int key, long address, long length) {
            this.key = key;
            this.address = address;
            this.length = length;
        }

        @Override
        public long address() {
            return address;
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public Set<AccessFlag> access() {
            return Set.of();
        }

        @Override
        public int lkey() {
            return key;
        }

        @Override
        public int rkey() {
            return key;
        }

        @Override
        public boolean isClosed() {
            return !regions.containsKey(key);
        }

        @Override
        public void close() {
            if (failDeregistrations) {
                throw new VerbsException("ibv_dereg_mr", Errno.EBUSY, "as told");
            }
            regions.remove(key);
        }
    }
}

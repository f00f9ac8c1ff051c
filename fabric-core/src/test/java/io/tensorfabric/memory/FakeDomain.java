package io.tensorfabric.memory;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A protection domain that counts regions and fails on demand; it can do nothing else. */
final class FakeDomain implements ProtectionDomain {

    final ConcurrentLinkedQueue<FakeRegion> live = new ConcurrentLinkedQueue<>();

    final AtomicInteger deregistrations = new AtomicInteger();

    final List<String> calls = new ArrayList<>();

    volatile long largestRegion = -1;

    volatile Errno registrationError = null;

    /** Registrations that succeed before {@link #registrationError} applies. */
    final AtomicInteger goodRegistrations = new AtomicInteger();

    final AtomicInteger failingDeregistrations = new AtomicInteger();

    volatile Runnable onRegister = () -> {};

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
        onRegister.run();
        record("register");
        if (registrationError != null && goodRegistrations.getAndDecrement() <= 0) {
            throw new VerbsException("ibv_reg_mr", registrationError, "as told");
        }
        FakeRegion region = new FakeRegion(address, length, access);
        live.add(region);
        return region;
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

    void record(String call) {
        synchronized (calls) {
            calls.add(call);
        }
    }

    final class FakeRegion implements MemoryRegion {

        private final long address;

        private final long length;

        private final Set<AccessFlag> access;

        private boolean closed;

        private FakeRegion(long address, long length, Set<AccessFlag> access) {
            this.address = address;
            this.length = length;
            this.access = access;
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
            return access;
        }

        @Override
        public int lkey() {
            return 0x1234;
        }

        @Override
        public int rkey() {
            return 0x5678;
        }

        @Override
        public synchronized boolean isClosed() {
            return closed;
        }

        @Override
        public synchronized void close() {
            if (closed) {
                return;
            }
            if (failingDeregistrations.getAndDecrement() > 0) {
                throw new VerbsException("ibv_dereg_mr", Errno.EBUSY, "as told");
            }
            record("deregister");
            closed = true;
            live.remove(this);
            deregistrations.incrementAndGet();
        }
    }
}

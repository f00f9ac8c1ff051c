package io.tensorfabric.memory;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Addresses without memory behind them, so that tests can have pools of any size. */
final class FakeMemory implements MemoryProvider {

    private final AtomicLong next = new AtomicLong(1L << 40);

    final Map<Long, Long> live = new ConcurrentHashMap<>();

    private final FakeDomain domain;

    FakeMemory(FakeDomain domain) {
        this.domain = domain;
    }

    @Override
    public MemoryKind kind() {
        return MemoryKind.HOST;
    }

    @Override
    public long allocate(long bytes, long alignment) {
        domain.record("allocate");
        long address =
                next.updateAndGet(at -> ByteSizes.roundUp(at, alignment) + bytes + (1 << 20)) - bytes - (1 << 20);
        live.put(address, bytes);
        return address;
    }

    @Override
    public void free(long address) {
        domain.record("free");
        if (live.remove(address) == null) {
            throw new IllegalArgumentException("Freed twice");
        }
    }
}

package io.tensorfabric.autoconfigure;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.LeaseHolder;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.memory.MemoryPoolStatistics;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.verbs.MemoryRegion;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The host pool that beans see: that of the running fabric, which owns it. Closing this one does nothing. Thread-safe.
 */
final class LifecyclePool implements MemoryRegionPool {

    private final FabricLifecycle lifecycle;

    private final MemoryPoolOptions options;

    LifecyclePool(FabricLifecycle lifecycle, MemoryPoolOptions options) {
        this.lifecycle = lifecycle;
        this.options = options;
    }

    private MemoryRegionPool running() {
        return lifecycle.requireNode().hostPool();
    }

    @Override
    public String name() {
        return FabricNodeFactory.HOST_POOL;
    }

    @Override
    public MemoryKind kind() {
        return MemoryKind.HOST;
    }

    @Override
    public String pages() {
        FabricNode node = lifecycle.node();
        return node == null ? "none yet" : node.hostPool().pages();
    }

    @Override
    public MemoryPoolOptions options() {
        return options;
    }

    @Override
    public void warmUp() {
        running().warmUp();
    }

    @Override
    public BufferLease acquire(long bytes, String holder) {
        return running().acquire(bytes, holder);
    }

    @Override
    public BufferLease acquire(long bytes, String holder, Duration timeout) {
        return running().acquire(bytes, holder, timeout);
    }

    @Override
    public BufferLease acquireAligned(long bytes, long alignment, String holder, Duration timeout) {
        return running().acquireAligned(bytes, alignment, holder, timeout);
    }

    @Override
    public @Nullable BufferLease tryAcquire(long bytes, String holder) {
        return running().tryAcquire(bytes, holder);
    }

    @Override
    public @Nullable MemoryRegion regionOf(long address, long length) {
        FabricNode node = lifecycle.node();
        return node == null ? null : node.hostPool().regionOf(address, length);
    }

    @Override
    public MemoryPoolStatistics statistics() {
        return running().statistics();
    }

    @Override
    public List<LeaseHolder> holders() {
        return running().holders();
    }

    @Override
    public long trim() {
        return running().trim();
    }

    @Override
    public void close() {
        // Owned by the lifecycle.
    }

    @Override
    public void close(Duration timeout) {
        // Owned by the lifecycle.
    }
}

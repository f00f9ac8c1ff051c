package io.tensorfabric.memory.cuda;

import io.tensorfabric.memory.MemoryKind;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one GPU shares with other processes of the host, and what it has open of theirs. Thread-safe. */
final class CudaIpcMemory implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CudaIpcMemory.class);

    /** Smaller allocations may share a block of the driver's with others, all of which a handle would open. */
    static final long UNIT = 2L << 20;

    private final CudaContext context;

    private final GpuCopies copies;

    private final Duration timeout;

    private final Set<GpuExport> exports = new HashSet<>();

    private final Set<GpuImport> imports = new HashSet<>();

    CudaIpcMemory(CudaContext context, GpuCopies copies, Duration timeout) {
        this.context = context;
        this.copies = copies;
        this.timeout = timeout;
    }

    GpuExport export(long bytes) {
        long length = (bytes + UNIT - 1) / UNIT * UNIT;
        int ordinal = context.ordinal();
        long address = context.call(() -> CudaDriver.allocate(length, ordinal));
        try {
            // Whoever opens it may read it: nothing of a former owner may be left.
            copies.zero(address, length, timeout);
            byte[] handle = context.call(() -> CudaIpc.export(address, ordinal));
            GpuExport export = new GpuExport(this, MemoryKind.cuda(ordinal), address, length, handle);
            synchronized (this) {
                exports.add(export);
            }
            return export;
        } catch (RuntimeException e) {
            CopyNotEndedException.giveBack(e, () -> context.run(() -> CudaDriver.free(address, ordinal)));
            throw e;
        }
    }

    void free(GpuExport export) {
        boolean first;
        synchronized (this) {
            first = exports.remove(export);
        }
        if (first) {
            context.run(() -> CudaDriver.free(export.address(), context.ordinal()));
        }
    }

    GpuImport open(byte[] handle) {
        GpuImport opened = new GpuImport(this, context.call(() -> CudaIpc.open(handle, context.ordinal())));
        synchronized (this) {
            imports.add(opened);
        }
        return opened;
    }

    void close(GpuImport opened) {
        boolean first;
        synchronized (this) {
            first = imports.remove(opened);
        }
        if (first) {
            context.run(() -> CudaIpc.close(opened.address(), context.ordinal()));
        }
    }

    synchronized int exports() {
        return exports.size();
    }

    synchronized List<Long> exported() {
        return exports.stream().map(GpuExport::address).toList();
    }

    synchronized int imports() {
        return imports.size();
    }

    /** Closes what is open of other processes. What they may have open of this one stays, until this process ends. */
    @Override
    public void close() {
        List<GpuImport> open;
        long left;
        synchronized (this) {
            open = List.copyOf(imports);
            left = exports.stream().mapToLong(GpuExport::length).sum();
        }
        open.forEach(GpuImport::close);
        if (left > 0) {
            log.warn(
                    "{} bytes of cuda:{} may still be open in other processes, and stay allocated until this one ends",
                    left,
                    context.ordinal());
        }
    }
}

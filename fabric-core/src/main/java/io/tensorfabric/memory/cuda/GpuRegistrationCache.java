package io.tensorfabric.memory.cuda;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registrations of GPU memory that belongs to the application, by the driver's number of the allocation: whole allocations
 * are registered, so that all tensors in one share a registration, and memory that was freed and allocated again at the same
 * address is never served the old one. Least recently used ones go first. Thread-safe.
 */
final class GpuRegistrationCache implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(GpuRegistrationCache.class);

    /** For reading by a WRITE, and no more. */
    private static final Set<AccessFlag> ACCESS = Set.of();

    private final CudaContext context;

    private final GpuRegistrar registrar;

    private final GpuPath.Kind way;

    private final int limit;

    private final Map<Long, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    /** Regions that the verbs device did not give back; tried again. */
    private final List<GpuRegions> stuck = new ArrayList<>();

    private long hits;

    private long misses;

    /** A registered allocation. */
    private static final class Entry {

        private final PointerInfo info;

        private final GpuRegions regions;

        private int users;

        private boolean dropped;

        Entry(PointerInfo info, GpuRegions regions) {
            this.info = info;
            this.regions = regions;
        }
    }

    GpuRegistrationCache(CudaContext context, GpuRegistrar registrar, GpuPath.Kind way, int limit) {
        this.context = context;
        this.registrar = registrar;
        this.way = way;
        this.limit = limit;
    }

    /**
     * Registers a range, or finds that it is. May block for the device.
     *
     * @throws IllegalArgumentException if the range is not memory of this GPU
     * @throws VerbsException if the verbs device refuses
     * @throws CudaDriverException if the driver refuses
     */
    GpuSource acquire(long address, long length) {
        return context.call(() -> acquireCurrent(address, length));
    }

    private GpuSource acquireCurrent(long address, long length) {
        List<GpuSource.Part> parts = new ArrayList<>(1);
        try {
            long at = address;
            while (at < address + length) {
                // Memory of the virtual memory management may consist of several segments, each an allocation.
                PointerInfo info = PointerInfo.of(at, context.ordinal());
                long end = Math.min(address + length, info.start() + info.size());
                parts.add(acquire(info, at, end - at));
                at = end;
            }
            return new GpuSource(address, length, parts);
        } catch (RuntimeException e) {
            parts.forEach(GpuSource.Part::close);
            throw e instanceof IllegalArgumentException && !parts.isEmpty()
                    ? new IllegalArgumentException(
                            "The tensor's " + length + " bytes reach beyond the allocation that its pointer lies in", e)
                    : e;
        }
    }

    private synchronized GpuSource.Part acquire(PointerInfo info, long start, long bytes) {
        Entry entry = entries.get(info.bufferId());
        if (entry != null) {
            hits++;
        } else {
            misses++;
            dropStale();
            shrinkTo(limit - 1);
            try {
                entry = new Entry(info, registrar.register(way, info.start(), info.size(), ACCESS));
            } catch (VerbsException | CudaDriverException e) {
                return registerPart(start, bytes, e);
            }
            CudaDriver.setSyncMemops(info.start());
            entries.put(info.bufferId(), entry);
        }
        entry.users++;
        Entry used = entry;
        return new GpuSource.Part(entry.regions, () -> release(used));
    }

    /** A GPU with a small window to its memory cannot show a large allocation as a whole. */
    private GpuSource.Part registerPart(long start, long bytes, RuntimeException whole) {
        boolean limited = whole instanceof VerbsException refusal
                ? refusal.errno() == Errno.ENOMEM || refusal.errno() == Errno.EFAULT
                : ((CudaDriverException) whole).error().code() == CudaError.OUT_OF_MEMORY;
        if (!limited) {
            throw whole;
        }
        shrinkTo(0);
        try {
            GpuRegions regions = registrar.register(way, start, bytes, ACCESS);
            CudaDriver.setSyncMemops(start);
            return new GpuSource.Part(regions, regions::close);
        } catch (RuntimeException e) {
            e.addSuppressed(whole);
            throw e;
        }
    }

    private synchronized void release(Entry entry) {
        entry.users--;
        if (entry.dropped && entry.users == 0) {
            close(entry.regions);
        }
    }

    /** Drops what was freed meanwhile: as long as it is registered, its memory does not go back to the GPU. */
    private void dropStale() {
        for (Iterator<Entry> all = entries.values().iterator(); all.hasNext(); ) {
            Entry entry = all.next();
            if (!entry.info.isCurrent()) {
                all.remove();
                drop(entry);
            }
        }
    }

    private void shrinkTo(int size) {
        for (Iterator<Entry> all = entries.values().iterator(); all.hasNext() && entries.size() > size; ) {
            Entry entry = all.next();
            if (entry.users == 0) {
                all.remove();
                drop(entry);
            }
        }
    }

    private void drop(Entry entry) {
        entry.dropped = true;
        if (entry.users == 0) {
            close(entry.regions);
        }
    }

    private void close(GpuRegions regions) {
        try {
            regions.close();
        } catch (VerbsException e) {
            stuck.add(regions);
            log.error("A registration of GPU memory could not be given back and is kept", e);
        }
    }

    /** Registered allocations of the application. */
    synchronized int size() {
        return entries.size();
    }

    synchronized long hits() {
        return hits;
    }

    synchronized long misses() {
        return misses;
    }

    /** Drops all that nobody uses, and what could not be dropped before. */
    synchronized void trim() {
        List<GpuRegions> again = List.copyOf(stuck);
        stuck.clear();
        again.forEach(this::close);
        shrinkTo(0);
    }

    @Override
    public synchronized void close() {
        trim();
        entries.values().forEach(this::drop);
        entries.clear();
    }
}

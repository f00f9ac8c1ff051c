package io.tensorfabric.memory;

import io.tensorfabric.offheap.HugePages;
import io.tensorfabric.offheap.OffHeapAllocationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Host memory of huge pages where a machine has set some aside, so that the device and the processor need fewer entries of
 * their tables for it; ordinary host memory where there are none, or not enough, with one line in the log. Thread-safe.
 */
public final class HugePageMemoryProvider implements MemoryProvider {

    private static final Logger log = LoggerFactory.getLogger(HugePageMemoryProvider.class);

    private static final Path TRANSPARENT = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    private final HostMemoryProvider ordinary = new HostMemoryProvider();

    private final @Nullable HugePages pages;

    private final AtomicBoolean told = new AtomicBoolean();

    private volatile String text;

    /** Looks for huge pages of this machine. */
    public HugePageMemoryProvider() {
        this(HugePages.find(), TRANSPARENT);
    }

    HugePageMemoryProvider(HugePages.Search search, Path transparent) {
        this.pages = search.pages();
        this.text = search.pages() != null ? search.reason() : withoutReserved(search.reason(), transparent);
    }

    /** Slabs are aligned to huge pages, so the kernel may use these by itself. */
    private static String withoutReserved(String reason, Path transparent) {
        String mode;
        try {
            mode = Files.readString(transparent);
        } catch (IOException e) {
            mode = "";
        }
        if (mode.contains("[always]")) {
            return "transparent huge pages, since " + reason;
        }
        return "ordinary pages: " + reason + ", and transparent huge pages are "
                + (mode.contains("[madvise]") ? "only for programs that ask" : "off")
                + ". Set pages aside (vm.nr_hugepages) and mount them, or write always to " + transparent;
    }

    @Override
    public MemoryKind kind() {
        return MemoryKind.HOST;
    }

    @Override
    public String pages() {
        return text;
    }

    @Override
    public long allocate(long bytes, long alignment) {
        HugePages huge = pages;
        if (huge != null) {
            try {
                return huge.allocate(bytes, alignment);
            } catch (OffHeapAllocationException e) {
                text = "huge pages as far as there were, then ordinary ones: " + e.getMessage();
                if (told.compareAndSet(false, true)) {
                    log.info("{}; ordinary pages are used. Set more aside (vm.nr_hugepages)", e.getMessage());
                }
            }
        }
        return ordinary.allocate(bytes, alignment);
    }

    @Override
    public void free(long address) {
        HugePages huge = pages;
        if (huge != null && huge.owns(address)) {
            huge.free(address);
        } else {
            ordinary.free(address);
        }
    }
}

package io.tensorfabric.memory.cuda;

import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftFaults;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.time.Duration;

/** A software device for tests of GPU memory, and memory of the stub's GPUs with it. */
final class GpuFixture implements AutoCloseable {

    static final GpuMemoryOptions OPTIONS = GpuMemoryOptions.defaults()
            .withPool(new MemoryPoolOptions(4 << 20, 64 << 20, GpuMemoryOptions.BLOCK, Duration.ofSeconds(1)));

    final SoftFaults faults = new SoftFaults();

    final VerbsContext context;

    final ProtectionDomain domain;

    GpuFixture() {
        this(Long.MAX_VALUE);
    }

    GpuFixture(long maxRegion) {
        context = new SoftVerbsProvider(SoftDeviceOptions.builder()
                        .faults(faults)
                        .maxMemoryRegionSize(maxRegion)
                        .build())
                .devices()
                .get(0)
                .open();
        domain = context.allocateProtectionDomain();
    }

    GpuMemory open() {
        return open(OPTIONS);
    }

    GpuMemory open(GpuMemoryOptions options) {
        return GpuMemory.open(CudaPlatform.detectAnew(), 0, domain, options, true);
    }

    /** Fails if a region is left. */
    @Override
    public void close() {
        domain.close();
        context.close();
    }
}

package io.tensorfabric.memory.cuda;

import io.tensorfabric.memory.HostMemoryProvider;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryProvider;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.JCudaDriver;

/** Host memory that GPUs copy from and to by themselves, since the driver knows that it is pinned. Thread-safe. */
final class PinnedMemoryProvider implements MemoryProvider {

    /** Pinned for all contexts of the process. */
    private static final int PORTABLE = 1;

    private final HostMemoryProvider host = new HostMemoryProvider();

    private final CudaContext context;

    private final Set<Long> pinned = ConcurrentHashMap.newKeySet();

    PinnedMemoryProvider(CudaContext context) {
        this.context = context;
    }

    @Override
    public MemoryKind kind() {
        return MemoryKind.HOST;
    }

    @Override
    public long allocate(long bytes, long alignment) {
        long address = host.allocate(bytes, alignment);
        try {
            context.run(() -> CudaDriver.check(
                    "cuMemHostRegister",
                    bytes + " bytes of host memory",
                    () -> JCudaDriver.cuMemHostRegister(HostPointer.to(address), bytes, PORTABLE)));
        } catch (RuntimeException e) {
            host.free(address);
            throw e;
        }
        pinned.add(address);
        return address;
    }

    @Override
    public void free(long address) {
        if (pinned.remove(address)) {
            context.run(() -> CudaDriver.check(
                    "cuMemHostUnregister",
                    "host memory of a pool",
                    () -> JCudaDriver.cuMemHostUnregister(HostPointer.to(address))));
        }
        host.free(address);
    }
}

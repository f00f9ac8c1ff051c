package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.memory.cuda.CudaExtensions;

/**
 * The calls of the CUDA driver that JCuda does not bind, through the verbs shim. They need the shim and the driver, but
 * neither libibverbs nor a card.
 *
 * <p>Public for {@link java.util.ServiceLoader} only. Thread-safe.
 */
public final class NativeCudaExtensions implements CudaExtensions {

    private int opened = -1;

    private boolean tried;

    /** Called by the service loader; touches no library. */
    public NativeCudaExtensions() {}

    @Override
    public synchronized boolean isAvailable() {
        if (!tried) {
            tried = true;
            opened = open();
        }
        return opened == 0;
    }

    private static int open() {
        return NativeLibrary.isShimLoaded() ? NativeVerbs.openCuda() : -1;
    }

    @Override
    public long exportDmaBuf(long address, long length) {
        return NativeVerbs.exportDmaBuf(address, length);
    }

    @Override
    public void close(int fileDescriptor) {
        Failures.check(NativeVerbs.closeDmaBuf(fileDescriptor), "close", "the file descriptor of a dma-buf");
    }

    @Override
    public int flushWrites() {
        return NativeVerbs.flushGpuWrites();
    }
}

package io.tensorfabric.testing.cuda;

import io.tensorfabric.memory.cuda.CudaExtensions;

/** The calls that JCuda does not bind, of the stub of the driver when that is loaded. */
public final class StubExtensions implements CudaExtensions {

    private static final int TO_OWNER = 100;

    private static volatile boolean hidden;

    /** For the service loader. */
    public StubExtensions() {}

    /** Plays a process without the native part of the fabric. */
    public static void hide(boolean value) {
        hidden = value;
    }

    @Override
    public boolean isAvailable() {
        return !hidden && StubCuda.isLoaded();
    }

    @Override
    public long exportDmaBuf(long address, long length) {
        return StubCuda.exportDmaBuf(address, length);
    }

    @Override
    public void close(int fileDescriptor) {
        StubCuda.close(fileDescriptor);
    }

    @Override
    public int flushWrites() {
        return StubCuda.flush(TO_OWNER);
    }
}

package io.tensorfabric.memory.cuda;

import io.tensorfabric.offheap.OffHeap;
import jcuda.Pointer;

/** Pointers of JCuda to host memory, which it takes only as direct buffers; their length does not matter. */
final class HostPointer {

    private HostPointer() {}

    static Pointer to(long address) {
        return Pointer.to(OffHeap.asByteBuffer(address, 1));
    }
}

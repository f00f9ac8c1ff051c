package io.tensorfabric.memory.cuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jcuda.Pointer;

/** Eight bytes for an attribute of a pointer, one for each thread, where the driver reads and writes them directly. */
final class PointerValue {

    private static final ThreadLocal<PointerValue> OF_THREAD = ThreadLocal.withInitial(PointerValue::new);

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());

    private final Pointer pointer = Pointer.to(bytes);

    private PointerValue() {}

    static PointerValue ofThread() {
        return OF_THREAD.get();
    }

    Pointer with(long value) {
        bytes.putLong(0, value);
        return pointer;
    }

    long get() {
        return bytes.getLong(0);
    }
}

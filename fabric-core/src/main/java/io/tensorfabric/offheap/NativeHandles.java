package io.tensorfabric.offheap;

import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The primitive operations of one backend. Every handle has exactly the type named beside it, since callers use
 * {@code invokeExact}.
 *
 * @param getByte {@code (long address)byte}
 * @param getInt {@code (long address)int}, unaligned allowed
 * @param getLong {@code (long address)long}, unaligned allowed
 * @param putByte {@code (long address, byte)void}
 * @param putInt {@code (long address, int)void}, unaligned allowed
 * @param putLong {@code (long address, long)void}, unaligned allowed
 * @param copy {@code (long source, long destination, long bytes)void}, ranges may overlap
 * @param fill {@code (long address, long bytes, byte)void}
 * @param copyFromArray {@code (byte[], int offset, long destination, int length)void}
 * @param copyToArray {@code (long source, byte[], int offset, int length)void}
 * @param asByteBuffer {@code (long address, int length)ByteBuffer}
 * @param addressOf {@code (ByteBuffer)long}, the address of the byte at the buffer's position
 * @param malloc {@code (long bytes)long}, zero when there is none
 * @param free {@code (long address)void}
 * @param pages mapping of whole pages, null where the backend cannot
 * @param pageSize the size of a page of memory in bytes
 */
record NativeHandles(
        MethodHandle getByte,
        MethodHandle getInt,
        MethodHandle getLong,
        MethodHandle putByte,
        MethodHandle putInt,
        MethodHandle putLong,
        MethodHandle copy,
        MethodHandle fill,
        MethodHandle copyFromArray,
        MethodHandle copyToArray,
        MethodHandle asByteBuffer,
        MethodHandle addressOf,
        MethodHandle malloc,
        MethodHandle free,
        @Nullable PageHandles pages,
        int pageSize) {

    /**
     * Whole pages from the kernel.
     *
     * @param map {@code (long bytes)long}: fresh zeroed pages, negative when there are none
     * @param unmap {@code (long address, long bytes)int}: zero on success
     */
    record PageHandles(MethodHandle map, MethodHandle unmap) {}

    static NativeHandles choose() {
        try {
            return Runtime.version().feature() >= 22 ? ForeignMemoryBackend.create() : UnsafeBackend.create();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This Java runtime offers no access to native memory", e);
        } catch (IllegalCallerException e) {
            throw new IllegalStateException(
                    "Native access is denied to Tensor Fabric; start Java with --enable-native-access=ALL-UNNAMED", e);
        }
    }
}

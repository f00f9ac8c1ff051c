package io.tensorfabric.offheap;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/** Ends mappings of files. The one way to do so that all JDKs from 17 on have is their supported part of Unsafe. */
final class FileMappings {

    private static final MethodHandle INVOKE_CLEANER = find();

    private FileMappings() {}

    static void unmap(MappedByteBuffer mapped) {
        try {
            INVOKE_CLEANER.invokeExact((ByteBuffer) mapped);
        } catch (Throwable e) {
            throw OffHeap.unexpected(e);
        }
    }

    private static MethodHandle find() {
        try {
            Class<?> type = Class.forName("sun.misc.Unsafe");
            Field instance = type.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            return MethodHandles.publicLookup()
                    .findVirtual(type, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
                    .bindTo(instance.get(null));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This Java runtime offers no way to end the mapping of a file", e);
        }
    }
}

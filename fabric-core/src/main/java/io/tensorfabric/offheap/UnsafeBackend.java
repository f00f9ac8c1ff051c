package io.tensorfabric.offheap;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Java 17 to 21: {@code sun.misc.Unsafe}, never named in the source so that the compiler has nothing to warn about.
 * From Java 24 on its memory methods print a warning, from 22 on {@link ForeignMemoryBackend} is complete; this class
 * is not used there.
 */
final class UnsafeBackend {

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private final Class<?> type;
    private final Object unsafe;

    private UnsafeBackend(Class<?> type, Object unsafe) {
        this.type = type;
        this.unsafe = unsafe;
    }

    static NativeHandles create() throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field instance = type.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        return new UnsafeBackend(type, instance.get(null)).handles();
    }

    private NativeHandles handles() throws ReflectiveOperationException {
        return new NativeHandles(
                find("getByte", methodType(byte.class, long.class)),
                find("getInt", methodType(int.class, long.class)),
                find("getLong", methodType(long.class, long.class)),
                find("putByte", methodType(void.class, long.class, byte.class)),
                find("putInt", methodType(void.class, long.class, int.class)),
                find("putLong", methodType(void.class, long.class, long.class)),
                find("copyMemory", methodType(void.class, long.class, long.class, long.class)),
                find("setMemory", methodType(void.class, long.class, long.class, byte.class)),
                copyFromArray(),
                copyToArray(),
                asByteBuffer(),
                addressOf(),
                find("allocateMemory", methodType(long.class, long.class)),
                find("freeMemory", methodType(void.class, long.class)),
                null,
                (int) type.getMethod("pageSize").invoke(unsafe));
    }

    private MethodHandle find(String name, MethodType signature) throws ReflectiveOperationException {
        return LOOKUP.findVirtual(type, name, signature).bindTo(unsafe);
    }

    private MethodHandle copyFromArray() throws ReflectiveOperationException {
        MethodHandle toMemory = MethodHandles.insertArguments(copyObject(), 2, (Object) null);
        MethodHandle offsetsAdded = MethodHandles.filterArguments(toMemory, 1, arrayOffset());
        return offsetsAdded.asType(methodType(void.class, byte[].class, int.class, long.class, int.class));
    }

    private MethodHandle copyToArray() throws ReflectiveOperationException {
        MethodHandle fromMemory = MethodHandles.insertArguments(copyObject(), 0, (Object) null);
        MethodHandle offsetsAdded = MethodHandles.filterArguments(fromMemory, 2, arrayOffset());
        return offsetsAdded.asType(methodType(void.class, long.class, byte[].class, int.class, int.class));
    }

    private MethodHandle copyObject() throws ReflectiveOperationException {
        return find(
                "copyMemory", methodType(void.class, Object.class, long.class, Object.class, long.class, long.class));
    }

    /** {@code (int index)long}: the place of a byte array's element inside the object. */
    private MethodHandle arrayOffset() throws ReflectiveOperationException {
        long base = type.getField("ARRAY_BYTE_BASE_OFFSET").getInt(null);
        MethodHandle sum = LOOKUP.findStatic(UnsafeBackend.class, "sum", methodType(long.class, long.class, int.class));
        return MethodHandles.insertArguments(sum, 0, base);
    }

    @SuppressWarnings("UnusedMethod") // bound by name
    private static long sum(long base, int index) {
        return base + index;
    }

    private MethodHandle asByteBuffer() throws ReflectiveOperationException {
        MethodHandle view = LOOKUP.findStatic(
                UnsafeBackend.class,
                "view",
                methodType(
                        ByteBuffer.class,
                        MethodHandle.class,
                        MethodHandle.class,
                        long.class,
                        long.class,
                        long.class,
                        int.class));
        return MethodHandles.insertArguments(
                view,
                0,
                find("putLong", methodType(void.class, Object.class, long.class, long.class)),
                find("putInt", methodType(void.class, Object.class, long.class, int.class)),
                bufferField("address"),
                bufferField("capacity"));
    }

    @SuppressWarnings("UnusedMethod") // bound by name
    private static ByteBuffer view(
            MethodHandle putLong, MethodHandle putInt, long addressField, long capacityField, long address, int length)
            throws Throwable {
        // A duplicate is a properly constructed direct buffer without a cleaner: pointing it elsewhere frees nothing.
        ByteBuffer view = EmptyBuffer.INSTANCE.duplicate();
        putLong.invoke((Object) view, addressField, address);
        putInt.invoke((Object) view, capacityField, length);
        view.limit(length);
        return view.order(ByteOrder.nativeOrder());
    }

    private MethodHandle addressOf() throws ReflectiveOperationException {
        MethodHandle base = MethodHandles.insertArguments(
                find("getLong", methodType(long.class, Object.class, long.class)), 1, bufferField("address"));
        MethodHandle position = LOOKUP.findVirtual(Buffer.class, "position", methodType(int.class));
        MethodHandle sum = LOOKUP.findStatic(UnsafeBackend.class, "sum", methodType(long.class, long.class, int.class));
        MethodHandle withBase = MethodHandles.filterArguments(
                sum,
                0,
                base.asType(methodType(long.class, ByteBuffer.class)),
                position.asType(methodType(int.class, ByteBuffer.class)));
        return MethodHandles.permuteArguments(withBase, methodType(long.class, ByteBuffer.class), 0, 0);
    }

    private long bufferField(String name) throws ReflectiveOperationException {
        Field field = Buffer.class.getDeclaredField(name);
        return (long) type.getMethod("objectFieldOffset", Field.class).invoke(unsafe, field);
    }

    private static final class EmptyBuffer {
        static final ByteBuffer INSTANCE = ByteBuffer.allocateDirect(0);
    }
}

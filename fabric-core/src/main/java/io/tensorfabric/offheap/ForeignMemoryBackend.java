package io.tensorfabric.offheap;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Java 22 and later: the foreign function and memory API, reached by name so that the source compiles for Java 17. One
 * segment stands for the whole address space; offsets into it are addresses.
 */
final class ForeignMemoryBackend {

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    /** {@code PROT_READ | PROT_WRITE}, mmap(2). */
    private static final int READ_WRITE = 0x3;

    /** {@code MAP_PRIVATE | MAP_ANONYMOUS}, mmap(2), on Linux. */
    private static final int PRIVATE_ANONYMOUS_LINUX = 0x22;

    /** {@code MAP_PRIVATE | MAP_ANON}, mmap(2), on macOS. */
    private static final int PRIVATE_ANONYMOUS_MAC = 0x1002;

    private static final int DEFAULT_PAGE_SIZE = 4096;

    private final Class<?> segmentType = Class.forName("java.lang.foreign.MemorySegment");
    private final Class<?> layoutType = Class.forName("java.lang.foreign.ValueLayout");
    private final Class<?> descriptorType = Class.forName("java.lang.foreign.FunctionDescriptor");
    private final Class<?> memoryLayoutType = Class.forName("java.lang.foreign.MemoryLayout");
    private final Object jInt = layout("JAVA_INT");
    private final Object jLong = layout("JAVA_LONG");
    private final Object everything;
    private final Object linker;
    private final Object symbols;

    private ForeignMemoryBackend() throws ReflectiveOperationException {
        Object nothing = segmentType.getField("NULL").get(null);
        // Found through a lookup, not by reflection: the restricted call is then attributed to this module.
        MethodHandle reinterpret = LOOKUP.findVirtual(segmentType, "reinterpret", methodType(segmentType, long.class));
        everything = call(reinterpret, nothing, Long.MAX_VALUE);
        Class<?> linkerType = Class.forName("java.lang.foreign.Linker");
        linker = linkerType.getMethod("nativeLinker").invoke(null);
        symbols = linkerType.getMethod("defaultLookup").invoke(linker);
    }

    static NativeHandles create() throws ReflectiveOperationException {
        return new ForeignMemoryBackend().handles();
    }

    private NativeHandles handles() throws ReflectiveOperationException {
        return new NativeHandles(
                get("OfByte", "JAVA_BYTE", byte.class),
                get("OfInt", "JAVA_INT_UNALIGNED", int.class),
                get("OfLong", "JAVA_LONG_UNALIGNED", long.class),
                set("OfByte", "JAVA_BYTE", byte.class),
                set("OfInt", "JAVA_INT_UNALIGNED", int.class),
                set("OfLong", "JAVA_LONG_UNALIGNED", long.class),
                copy(),
                fill(),
                copyFromArray(),
                copyToArray(),
                asByteBuffer(),
                addressOf(),
                required("malloc", descriptor(jLong, jLong)),
                required("free", voidDescriptor(jLong)),
                pages(),
                pageSize());
    }

    private MethodHandle get(String layoutClass, String layout, Class<?> type) throws ReflectiveOperationException {
        Class<?> exactLayout = Class.forName("java.lang.foreign.ValueLayout$" + layoutClass);
        MethodHandle get = LOOKUP.findVirtual(segmentType, "get", methodType(type, exactLayout, long.class));
        return MethodHandles.insertArguments(get, 0, everything, layout(layout));
    }

    private MethodHandle set(String layoutClass, String layout, Class<?> type) throws ReflectiveOperationException {
        Class<?> exactLayout = Class.forName("java.lang.foreign.ValueLayout$" + layoutClass);
        MethodHandle set =
                LOOKUP.findVirtual(segmentType, "set", methodType(void.class, exactLayout, long.class, type));
        return MethodHandles.insertArguments(set, 0, everything, layout(layout));
    }

    private MethodHandle copy() throws ReflectiveOperationException {
        MethodHandle copy = LOOKUP.findStatic(
                segmentType,
                "copy",
                methodType(void.class, segmentType, long.class, segmentType, long.class, long.class));
        return MethodHandles.insertArguments(MethodHandles.insertArguments(copy, 2, everything), 0, everything);
    }

    private MethodHandle fill() throws ReflectiveOperationException {
        MethodHandle fill = LOOKUP.findVirtual(segmentType, "fill", methodType(segmentType, byte.class));
        return MethodHandles.collectArguments(fill, 0, slice())
                .asType(methodType(void.class, long.class, long.class, byte.class));
    }

    private MethodHandle copyFromArray() throws ReflectiveOperationException {
        MethodHandle copy = LOOKUP.findStatic(
                segmentType,
                "copy",
                methodType(void.class, Object.class, int.class, segmentType, layoutType, long.class, int.class));
        return MethodHandles.insertArguments(copy, 2, everything, layout("JAVA_BYTE"))
                .asType(methodType(void.class, byte[].class, int.class, long.class, int.class));
    }

    private MethodHandle copyToArray() throws ReflectiveOperationException {
        MethodHandle copy = LOOKUP.findStatic(
                segmentType,
                "copy",
                methodType(void.class, segmentType, layoutType, long.class, Object.class, int.class, int.class));
        return MethodHandles.insertArguments(copy, 0, everything, layout("JAVA_BYTE"))
                .asType(methodType(void.class, long.class, byte[].class, int.class, int.class));
    }

    private MethodHandle asByteBuffer() throws ReflectiveOperationException {
        MethodHandle view = LOOKUP.findVirtual(segmentType, "asByteBuffer", methodType(ByteBuffer.class));
        MethodHandle order =
                LOOKUP.findVirtual(ByteBuffer.class, "order", methodType(ByteBuffer.class, ByteOrder.class));
        MethodHandle ordered = MethodHandles.insertArguments(order, 1, ByteOrder.nativeOrder());
        return MethodHandles.filterReturnValue(MethodHandles.filterReturnValue(slice(), view), ordered)
                .asType(methodType(ByteBuffer.class, long.class, int.class));
    }

    private MethodHandle addressOf() throws ReflectiveOperationException {
        MethodHandle ofBuffer = LOOKUP.findStatic(segmentType, "ofBuffer", methodType(segmentType, Buffer.class));
        MethodHandle address = LOOKUP.findVirtual(segmentType, "address", methodType(long.class));
        return MethodHandles.filterReturnValue(ofBuffer, address).asType(methodType(long.class, ByteBuffer.class));
    }

    private MethodHandle slice() throws ReflectiveOperationException {
        return LOOKUP.findVirtual(segmentType, "asSlice", methodType(segmentType, long.class, long.class))
                .bindTo(everything);
    }

    private NativeHandles.@Nullable PageHandles pages() throws ReflectiveOperationException {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        boolean linux = os.contains("linux");
        if (!linux && !os.contains("mac")) {
            return null;
        }
        MethodHandle map = downcall("mmap", descriptor(jLong, jLong, jLong, jInt, jInt, jInt, jLong));
        MethodHandle unmap = downcall("munmap", descriptor(jInt, jLong, jLong));
        if (map == null || unmap == null) {
            return null;
        }
        int flags = linux ? PRIVATE_ANONYMOUS_LINUX : PRIVATE_ANONYMOUS_MAC;
        MethodHandle anonymous = MethodHandles.insertArguments(map, 2, READ_WRITE, flags, -1, 0L);
        return new NativeHandles.PageHandles(MethodHandles.insertArguments(anonymous, 0, 0L), unmap);
    }

    private int pageSize() throws ReflectiveOperationException {
        MethodHandle handle = downcall("getpagesize", descriptor(jInt));
        return handle == null ? DEFAULT_PAGE_SIZE : (int) call(handle);
    }

    private MethodHandle required(String symbol, Object descriptor) throws ReflectiveOperationException {
        MethodHandle handle = downcall(symbol, descriptor);
        if (handle == null) {
            throw new NoSuchElementException("The C library has no function " + symbol);
        }
        return handle;
    }

    private @Nullable MethodHandle downcall(String symbol, Object descriptor) throws ReflectiveOperationException {
        Class<?> lookupType = Class.forName("java.lang.foreign.SymbolLookup");
        Class<?> optionsType = Class.forName("java.lang.foreign.Linker$Option").arrayType();
        Class<?> linkerType = Class.forName("java.lang.foreign.Linker");
        Optional<?> address =
                (Optional<?>) lookupType.getMethod("find", String.class).invoke(symbols, symbol);
        if (address.isEmpty()) {
            return null;
        }
        MethodType signature = methodType(MethodHandle.class, segmentType, descriptorType, optionsType);
        MethodHandle link =
                LOOKUP.findVirtual(linkerType, "downcallHandle", signature).asFixedArity();
        Object noOptions = Array.newInstance(optionsType.componentType(), 0);
        return (MethodHandle) call(link, linker, address.get(), descriptor, noOptions);
    }

    private Object descriptor(Object result, Object... arguments) throws ReflectiveOperationException {
        return descriptorType
                .getMethod("of", memoryLayoutType, memoryLayoutType.arrayType())
                .invoke(null, result, layouts(arguments));
    }

    private Object voidDescriptor(Object... arguments) throws ReflectiveOperationException {
        return descriptorType.getMethod("ofVoid", memoryLayoutType.arrayType()).invoke(null, (Object)
                layouts(arguments));
    }

    private Object[] layouts(Object... arguments) {
        Object[] layouts = (Object[]) Array.newInstance(memoryLayoutType, arguments.length);
        System.arraycopy(arguments, 0, layouts, 0, arguments.length);
        return layouts;
    }

    private Object layout(String constant) throws ReflectiveOperationException {
        return layoutType.getField(constant).get(null);
    }

    private static Object call(MethodHandle handle, Object... arguments) throws ReflectiveOperationException {
        try {
            return handle.invokeWithArguments(arguments);
        } catch (RuntimeException | Error | ReflectiveOperationException e) {
            throw e;
        } catch (Throwable e) {
            throw new ReflectiveOperationException("Call of the foreign memory API failed", e);
        }
    }
}

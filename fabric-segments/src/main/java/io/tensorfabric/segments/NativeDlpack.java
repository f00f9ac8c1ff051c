package io.tensorfabric.segments;

import io.tensorfabric.interop.dlpack.Dlpack;
import io.tensorfabric.interop.dlpack.DlpackDeleter;
import io.tensorfabric.interop.dlpack.DlpackExport;
import io.tensorfabric.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The C side of {@link Dlpack}: calls the deleters of others, and gives tensors with a deleter that others call. Thread-safe. */
public final class NativeDlpack {

    private static final FunctionDescriptor DELETER = FunctionDescriptor.ofVoid(ValueLayout.ADDRESS);

    /** Given and not taken back yet, by the address that the deleter will be called with. */
    private static final Map<Long, DlpackExport> GIVEN = new ConcurrentHashMap<>();

    private NativeDlpack() {}

    /** Calls the C function on the thread that ends the tensor's last use. */
    public static DlpackDeleter deleter() {
        return NativeDlpack::call;
    }

    /**
     * Gives a tensor as a {@code DLManagedTensorVersioned} whose deleter releases it, from whatever thread it is called.
     *
     * @return the structure's address; whoever takes it calls the deleter once, else the tensor's memory is never given back
     * @throws IllegalStateException if the tensor is closed
     */
    public static long give(Tensor tensor) {
        DlpackExport export = Dlpack.exportVersioned(tensor, Stub.ADDRESS);
        GIVEN.put(export.address(), export);
        return export.address();
    }

    /** How many given tensors have not been released by their takers. */
    public static int outstanding() {
        return GIVEN.size();
    }

    private static void call(long function, long managed) {
        try {
            Stub.CALL.invokeExact(MemorySegment.ofAddress(function), MemorySegment.ofAddress(managed));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("The deleter of a DLPack tensor could not be called", e);
        }
    }

    /** The deleter that others call. An exception out of it would end the process, so an unknown address is ignored. */
    @SuppressWarnings("UnusedMethod") // found by its name
    private static void taken(MemorySegment managed) {
        DlpackExport export = GIVEN.remove(managed.address());
        if (export != null) {
            export.close();
        }
    }

    /** Made when first needed: it takes native access. */
    @SuppressWarnings("restricted") // C functions are what this is for
    private static final class Stub {

        static final MethodHandle CALL = Linker.nativeLinker().downcallHandle(DELETER);
        static final long ADDRESS = address();

        private static long address() {
            try {
                MethodHandle target = MethodHandles.lookup()
                        .findStatic(
                                NativeDlpack.class, "taken", MethodType.methodType(void.class, MemorySegment.class));
                // For good: others may call it whenever they are done.
                return Linker.nativeLinker()
                        .upcallStub(target, DELETER, Arena.global())
                        .address();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("The deleter for DLPack tensors was not found", e);
            }
        }
    }
}

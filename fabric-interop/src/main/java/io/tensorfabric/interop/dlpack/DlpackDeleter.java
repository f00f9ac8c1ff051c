package io.tensorfabric.interop.dlpack;

/**
 * Calls the deleter of a managed tensor, a C function {@code void (*)(void *self)}. Java 17 cannot call one by itself:
 * {@code NativeDlpack} of {@code fabric-segments} can on Java 22 and later, and so can JNA or code of your own.
 */
@FunctionalInterface
public interface DlpackDeleter {

    /**
     * Calls the function once, on whatever thread closed the tensor.
     *
     * @param function address of the C function, never 0
     * @param managed address of the managed tensor, its argument
     */
    void delete(long function, long managed);
}

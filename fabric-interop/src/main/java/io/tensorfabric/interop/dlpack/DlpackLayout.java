package io.tensorfabric.interop.dlpack;

import java.nio.ByteOrder;

/**
 * Where the fields of dlpack.h lie on machines with pointers of 64 bits. Up to version 0.8 there was {@code DLManagedTensor},
 * from 1.0 on {@code DLManagedTensorVersioned}; both embed a {@code DLTensor}.
 */
final class DlpackLayout {

    static final int TENSOR_DATA = 0;
    static final int TENSOR_DEVICE_TYPE = 8;
    static final int TENSOR_DEVICE_ID = 12;
    static final int TENSOR_RANK = 16;
    static final int TENSOR_TYPE_CODE = 20;
    static final int TENSOR_TYPE_BITS = 21;
    static final int TENSOR_TYPE_LANES = 22;
    static final int TENSOR_SHAPE = 24;
    static final int TENSOR_STRIDES = 32;
    static final int TENSOR_BYTE_OFFSET = 40;

    /** {@code DLManagedTensor}: the tensor, its manager's context, the deleter. */
    static final int MANAGED_TENSOR = 0;

    static final int MANAGED_DELETER = 56;
    static final int MANAGED_SIZE = 64;

    /** {@code DLManagedTensorVersioned}: version, context, deleter, flags, the tensor. */
    static final int VERSIONED_MAJOR = 0;

    static final int VERSIONED_MINOR = 4;
    static final int VERSIONED_DELETER = 16;
    static final int VERSIONED_FLAGS = 24;
    static final int VERSIONED_TENSOR = 32;
    static final int VERSIONED_SIZE = 80;

    static final int MAJOR = 1;
    /** The first with all types that are written here. */
    static final int MINOR = 2;

    static final long READ_ONLY = 1;
    static final long PADDED_SUBBYTE = 4;

    static final int CPU = 1;
    static final int CUDA = 2;
    static final int CUDA_HOST = 3;

    /** Where the lower byte of a 16-bit number lies in it. */
    static final int LOW_BYTE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : 1;

    private DlpackLayout() {}

    /** The 16-bit number of lanes, which shares a 32-bit word with code and bits. */
    static int lanes(int word) {
        return LOW_BYTE == 0 ? word >>> Short.SIZE : word & 0xFFFF;
    }
}

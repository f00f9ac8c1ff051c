package io.tensorfabric.tensor;

import io.tensorfabric.offheap.OffHeap;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * Packs strided elements into row-major order. The innermost dimensions that are packed already are copied as one run.
 */
final class StridedCopy {

    private static final int SCRATCH_ALIGNMENT = 64;

    private final long[] dims;
    /** Per outer dimension, in bytes. */
    private final long[] byteStrides;
    /** Number of leading dimensions that are walked one by one. */
    private final int outerRank;

    private final long runBytes;
    /** Bytes from the first element to the end of the last one in the source. */
    private final long spanBytes;

    private final boolean empty;

    private StridedCopy(long[] dims, long[] byteStrides, int outerRank, long runBytes, long spanBytes, boolean empty) {
        this.dims = dims;
        this.byteStrides = byteStrides;
        this.outerRank = outerRank;
        this.runBytes = runBytes;
        this.spanBytes = spanBytes;
        this.empty = empty;
    }

    static StridedCopy of(TensorDescriptor descriptor, long[] strides, long available) {
        Shape shape = descriptor.shape();
        if (shape.isRowMajor(strides)) {
            long bytes = descriptor.byteLength();
            checkSpan(descriptor, bytes, available);
            return new StridedCopy(shape.dims(), strides, 0, bytes, bytes, shape.isEmpty());
        }
        long elementBytes = elementBytes(descriptor);
        long[] dims = shape.dims();
        int outerRank = outerRank(dims, strides);
        long run = elementBytes;
        for (int i = outerRank; i < dims.length; i++) {
            run *= dims[i];
        }
        long span = span(descriptor, dims, strides, elementBytes);
        checkSpan(descriptor, span, available);
        long[] byteStrides = new long[outerRank];
        for (int i = 0; i < outerRank; i++) {
            byteStrides[i] = dims[i] == 1 ? 0 : strides[i] * elementBytes;
        }
        return new StridedCopy(dims, byteStrides, outerRank, run, span, false);
    }

    private static long elementBytes(TensorDescriptor descriptor) {
        int bits = descriptor.dataType().bits();
        if (bits % Byte.SIZE != 0) {
            throw new IllegalArgumentException("Tensor '" + descriptor.name() + "' is not contiguous: elements of type "
                    + descriptor.dataType() + " are narrower than a byte and are only taken packed in row-major order");
        }
        return bits / Byte.SIZE;
    }

    private static int outerRank(long[] dims, long[] strides) {
        long expected = 1;
        int rank = dims.length;
        while (rank > 0 && (dims[rank - 1] == 1 || strides[rank - 1] == expected)) {
            expected *= dims[rank - 1];
            rank--;
        }
        return rank;
    }

    private static long span(TensorDescriptor descriptor, long[] dims, long[] strides, long elementBytes) {
        try {
            long last = 0;
            for (int i = 0; i < dims.length; i++) {
                if (dims[i] == 1) {
                    continue;
                }
                if (strides[i] < 0) {
                    throw new IllegalArgumentException("Tensor '" + descriptor.name() + "' has the negative stride "
                            + strides[i] + ", which is not supported; copy it into row-major order first");
                }
                last = Math.addExact(last, Math.multiplyExact(dims[i] - 1, strides[i]));
            }
            return Math.multiplyExact(Math.addExact(last, 1), elementBytes);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "Strides of tensor '" + descriptor.name() + "' reach further than 64 bits", e);
        }
    }

    private static void checkSpan(TensorDescriptor descriptor, long span, long available) {
        if (span > available) {
            throw new IllegalArgumentException("Tensor '" + descriptor.name() + "' of shape " + descriptor.shape()
                    + " reaches over " + span + " bytes with these strides, but the buffer has " + available);
        }
    }

    void run(ByteBuffer base, long destination) {
        if (empty) {
            return;
        }
        if (base.isDirect()) {
            try {
                pack(OffHeap.addressOf(base), destination);
            } finally {
                Reference.reachabilityFence(base);
            }
            return;
        }
        long scratch = OffHeap.allocate(spanBytes, SCRATCH_ALIGNMENT);
        try {
            OffHeap.asByteBuffer(scratch, (int) spanBytes).put(base.slice(base.position(), (int) spanBytes));
            pack(scratch, destination);
        } finally {
            OffHeap.free(scratch);
        }
    }

    private void pack(long source, long destination) {
        long[] index = new long[outerRank];
        long from = source;
        long to = destination;
        while (true) {
            OffHeap.copy(from, to, runBytes);
            to += runBytes;
            int dimension = outerRank - 1;
            while (dimension >= 0 && ++index[dimension] == dims[dimension]) {
                from -= (dims[dimension] - 1) * byteStrides[dimension];
                index[dimension] = 0;
                dimension--;
            }
            if (dimension < 0) {
                return;
            }
            from += byteStrides[dimension];
        }
    }
}

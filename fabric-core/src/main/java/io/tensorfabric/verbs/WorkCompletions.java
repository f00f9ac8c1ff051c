package io.tensorfabric.verbs;

import io.tensorfabric.offheap.OffHeap;

/**
 * Native memory that {@link CompletionQueue#poll} fills with work completions. The layout of one, native byte order:
 *
 * <pre>
 * offset size field
 *      0    8 wr_id
 *      8    4 status            {@link WorkCompletionStatus#code()}
 *     12    4 opcode            {@link WorkCompletionOpcode#code()}
 *     16    4 vendor_err
 *     20    4 byte_len
 *     24    4 imm_data          host order
 *     28    4 qp_num
 *     32    4 src_qp
 *     36    4 wc_flags          {@link #FLAG_WITH_IMMEDIATE}, {@link #FLAG_WITH_INVALIDATE}
 *     40    8 reserved
 * </pre>
 *
 * <p>When the status is not success, only wr_id, status, qp_num and vendor_err are valid ({@code ibv_poll_cq(3)}).
 *
 * <p>Not thread-safe. Owns its memory.
 */
public final class WorkCompletions implements AutoCloseable {

    /** Bytes of one completion. */
    public static final int STRIDE = 48;

    public static final int OFFSET_ID = 0;
    public static final int OFFSET_STATUS = 8;
    public static final int OFFSET_OPCODE = 12;
    public static final int OFFSET_VENDOR_ERROR = 16;
    public static final int OFFSET_BYTE_LENGTH = 20;
    public static final int OFFSET_IMMEDIATE = 24;
    public static final int OFFSET_QP_NUMBER = 28;
    public static final int OFFSET_SOURCE_QP = 32;
    public static final int OFFSET_FLAGS = 36;

    /** The immediate is valid. */
    public static final int FLAG_WITH_IMMEDIATE = 1 << 1;

    /** A window was invalidated, and imm_data is its key. */
    public static final int FLAG_WITH_INVALIDATE = 1 << 3;

    private static final int ALIGNMENT = 64;

    private final int capacity;

    private long base;

    private WorkCompletions(int capacity) {
        this.capacity = capacity;
        this.base = OffHeap.allocate((long) capacity * STRIDE, ALIGNMENT);
        OffHeap.fill(base, (long) capacity * STRIDE, (byte) 0);
    }

    /** Room for {@code capacity} completions, at least 1. */
    public static WorkCompletions allocate(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("Completions need room for at least 1, not " + capacity);
        }
        return new WorkCompletions(capacity);
    }

    /** Most completions that one poll returns. */
    public int capacity() {
        return capacity;
    }

    /** Address of the first completion, for providers. */
    public long address() {
        if (base == 0) {
            throw new IllegalStateException("The completions are closed");
        }
        return base;
    }

    private long at(int index) {
        if (index < 0 || index >= capacity) {
            throw new IndexOutOfBoundsException(index);
        }
        return address() + (long) index * STRIDE;
    }

    /** The id that the work request was posted with. */
    public long id(int index) {
        return OffHeap.getLong(at(index) + OFFSET_ID);
    }

    /** Number of the status, 0 for success. */
    public int statusCode(int index) {
        return OffHeap.getInt(at(index) + OFFSET_STATUS);
    }

    /** The status. */
    public WorkCompletionStatus status(int index) {
        return WorkCompletionStatus.ofCode(statusCode(index));
    }

    /** Number of the operation, see {@link WorkCompletionOpcode#code()}. */
    public int opcodeCode(int index) {
        return OffHeap.getInt(at(index) + OFFSET_OPCODE);
    }

    /** The vendor's error number. */
    public int vendorError(int index) {
        return OffHeap.getInt(at(index) + OFFSET_VENDOR_ERROR);
    }

    /** Bytes received, or read. */
    public int byteLength(int index) {
        return OffHeap.getInt(at(index) + OFFSET_BYTE_LENGTH);
    }

    /** The immediate, valid with {@link #FLAG_WITH_IMMEDIATE}. */
    public int immediate(int index) {
        return OffHeap.getInt(at(index) + OFFSET_IMMEDIATE);
    }

    /** Number of the own queue pair. */
    public int queuePairNumber(int index) {
        return OffHeap.getInt(at(index) + OFFSET_QP_NUMBER);
    }

    /** Flags, see the constants. */
    public int flags(int index) {
        return OffHeap.getInt(at(index) + OFFSET_FLAGS);
    }

    @Override
    public void close() {
        if (base != 0) {
            OffHeap.free(base);
            base = 0;
        }
    }
}

package io.tensorfabric.bench.chaos;

import io.tensorfabric.offheap.OffHeap;

/** Bytes that follow from a push, so that a receiver knows what must arrive. */
final class Content {

    private static final long STEP = 0x9E3779B97F4A7C15L;

    private Content() {}

    static void fill(PushId push, long address) {
        long state = start(push);
        long bytes = push.bytes();
        long offset = 0;
        for (; offset + Long.BYTES <= bytes; offset += Long.BYTES) {
            state += STEP;
            OffHeap.putLong(address + offset, mix(state));
        }
        long last = mix(state + STEP);
        for (; offset < bytes; offset++) {
            OffHeap.putByte(address + offset, (byte) last);
            last >>>= Byte.SIZE;
        }
    }

    /** Offset of the first byte, in steps of eight, that is not what was pushed; -1 if all are. */
    static long firstDifference(PushId push, long address) {
        long state = start(push);
        long bytes = push.bytes();
        long offset = 0;
        for (; offset + Long.BYTES <= bytes; offset += Long.BYTES) {
            state += STEP;
            if (OffHeap.getLong(address + offset) != mix(state)) {
                return offset;
            }
        }
        long last = mix(state + STEP);
        for (; offset < bytes; offset++) {
            if (OffHeap.getByte(address + offset) != (byte) last) {
                return offset;
            }
            last >>>= Byte.SIZE;
        }
        return -1;
    }

    private static long start(PushId push) {
        return mix(push.sender().hashCode() * 31L + push.generation()) ^ mix(push.number() * STEP);
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}

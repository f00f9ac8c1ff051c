package io.tensorfabric.transfer;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Hands out room in a peer's landing zone. Free blocks are kept by size class (powers of two), neighbours coalesce, and
 * nothing is allocated once as many blocks were alive before. Offsets are 64-byte aligned, those of large rooms 4 KiB
 * (a page, which is what devices like best). Room that was handed over to the peer comes back only by the peer's word.
 * Not thread-safe.
 */
final class ZoneAllocator {

    /** A cache line. */
    private static final long SMALL_ALIGNMENT = 64;

    private static final long LARGE_ALIGNMENT = 4096;

    private static final long LARGE = 64 * 1024;

    private final @Nullable Block[] bins = new @Nullable Block[Long.SIZE];

    private final LongMap<Block> taken = new LongMap<>();

    private final long size;

    private @Nullable Block spare;

    private long used;

    ZoneAllocator(long size) {
        this.size = size;
        if (size > 0) {
            // Rounded up, which take() minds, so that a zone of any size can be filled.
            insert(block(0, roundUp(size, SMALL_ALIGNMENT), null, null));
        }
    }

    /** Bytes of the zone. */
    long size() {
        return size;
    }

    /** Bytes that are taken, with what alignment costs. */
    long used() {
        return used;
    }

    boolean isUnused() {
        return used == 0;
    }

    /**
     * Takes room.
     *
     * @param bytes at least 1
     * @return its offset, or -1 if no free block is large enough
     */
    long take(long bytes) {
        if (bytes <= 0 || bytes > size) {
            return -1;
        }
        long alignment = bytes >= LARGE ? LARGE_ALIGNMENT : SMALL_ALIGNMENT;
        long room = roomOf(bytes);
        for (int bin = binOf(room); bin < bins.length; bin++) {
            for (Block b = bins[bin]; b != null; b = b.nextFree) {
                long start = roundUp(b.offset, alignment);
                if (start + room <= b.offset + b.size && start + bytes <= size) {
                    carve(b, start, room, bytes);
                    return start;
                }
            }
        }
        return -1;
    }

    /** Bytes that a tensor takes, without what its alignment may cost before it. */
    static long roomOf(long bytes) {
        return roundUp(bytes, SMALL_ALIGNMENT);
    }

    private void carve(Block b, long start, long room, long bytes) {
        remove(b);
        if (start > b.offset) {
            Block before = block(b.offset, start - b.offset, b.previous, b);
            link(before);
            insert(before);
            b.size -= before.size;
            b.offset = start;
        }
        if (b.size > room) {
            Block after = block(start + room, b.size - room, b, b.next);
            link(after);
            insert(after);
            b.size = room;
        }
        b.length = bytes;
        b.handedOver = false;
        used += b.size;
        taken.put(start, b);
    }

    /** Marks that the peer learns of this room: from now on only {@link #release} ends it. */
    void handOver(long offset) {
        Block b = taken.get(offset);
        if (b == null) {
            throw new IllegalStateException("No room is taken at " + offset);
        }
        b.handedOver = true;
    }

    /** Gives back room that the peer never learnt of. */
    void giveBack(long offset) {
        Block b = taken.get(offset);
        if (b == null || b.handedOver) {
            throw new IllegalStateException("No room of this node is taken at " + offset);
        }
        free(b);
    }

    /** Gives back room on the peer's word; false if that word makes no sense. */
    boolean release(long offset, long length) {
        Block b = taken.get(offset);
        if (b == null || !b.handedOver || b.length != length) {
            return false;
        }
        free(b);
        return true;
    }

    private void free(Block freed) {
        taken.remove(freed.offset);
        used -= freed.size;
        Block b = freed;
        Block previous = b.previous;
        if (previous != null && previous.free) {
            remove(previous);
            b = merge(previous, b);
        }
        Block next = b.next;
        if (next != null && next.free) {
            remove(next);
            b = merge(b, next);
        }
        insert(b);
    }

    private Block merge(Block left, Block right) {
        left.size += right.size;
        left.next = right.next;
        if (right.next != null) {
            right.next.previous = left;
        }
        right.previous = null;
        right.next = null;
        right.nextFree = spare;
        spare = right;
        return left;
    }

    private void insert(Block b) {
        int bin = binOf(b.size);
        Block head = bins[bin];
        b.free = true;
        b.previousFree = null;
        b.nextFree = head;
        if (head != null) {
            head.previousFree = b;
        }
        bins[bin] = b;
    }

    private void remove(Block b) {
        b.free = false;
        if (b.nextFree != null) {
            b.nextFree.previousFree = b.previousFree;
        }
        if (b.previousFree != null) {
            b.previousFree.nextFree = b.nextFree;
        } else {
            bins[binOf(b.size)] = b.nextFree;
        }
        b.nextFree = null;
        b.previousFree = null;
    }

    private Block block(long offset, long bytes, @Nullable Block previous, @Nullable Block next) {
        Block b = spare;
        if (b == null) {
            b = new Block();
        } else {
            spare = b.nextFree;
            b.nextFree = null;
        }
        b.offset = offset;
        b.size = bytes;
        b.previous = previous;
        b.next = next;
        return b;
    }

    private static void link(Block b) {
        if (b.previous != null) {
            b.previous.next = b;
        }
        if (b.next != null) {
            b.next.previous = b;
        }
    }

    private static int binOf(long bytes) {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes);
    }

    private static long roundUp(long value, long alignment) {
        return value + alignment - 1 & -alignment;
    }

    /** Offsets and sizes only, for a developer. */
    @Override
    public String toString() {
        return "ZoneAllocator[" + used + " of " + size + " bytes taken by " + taken.size()
                + " rooms, free blocks by bin "
                + Arrays.toString(
                        Arrays.stream(bins).mapToLong(ZoneAllocator::count).toArray()) + "]";
    }

    private static long count(@Nullable Block head) {
        long blocks = 0;
        for (Block b = head; b != null; b = b.nextFree) {
            blocks++;
        }
        return blocks;
    }

    private static final class Block {
        long offset;
        long size;
        /** Bytes asked for; the rest is alignment. */
        long length;

        boolean free;
        boolean handedOver;

        @Nullable Block previous;

        @Nullable Block next;

        @Nullable Block previousFree;

        @Nullable Block nextFree;
    }
}

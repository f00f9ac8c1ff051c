package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Carrier;
import io.tensorfabric.bench.peers.Samples;
import io.tensorfabric.offheap.OffHeap;

/** What no way between processes can beat: one copy within this one. */
final class CopyCarrier implements Carrier {

    private static final int COPIES_PER_LOOK_AT_THE_CLOCK = 4;

    @Override
    public String name() {
        return "memcpy";
    }

    @Override
    public double bandwidth(long size, double seconds) {
        long blocks = OffHeap.allocate(2 * size, 4096);
        try {
            OffHeap.fill(blocks, 2 * size, (byte) 1);
            long start = System.nanoTime();
            long end = start + (long) (seconds * 1e9);
            long copies = 0;
            while (System.nanoTime() < end) {
                for (int i = 0; i < COPIES_PER_LOOK_AT_THE_CLOCK; i++) {
                    OffHeap.copy(blocks, blocks + size, size);
                }
                copies += COPIES_PER_LOOK_AT_THE_CLOCK;
            }
            return size * (double) copies / ((System.nanoTime() - start) / 1e9);
        } finally {
            OffHeap.free(blocks);
        }
    }

    @Override
    public double latency(long size, double seconds) {
        long blocks = OffHeap.allocate(2 * size, 4096);
        try {
            OffHeap.fill(blocks, 2 * size, (byte) 1);
            Samples samples = new Samples();
            long end = System.nanoTime() + (long) (seconds * 1e9);
            do {
                long before = System.nanoTime();
                OffHeap.copy(blocks, blocks + size, size);
                samples.add(System.nanoTime() - before);
            } while (System.nanoTime() < end);
            return samples.micros(50);
        } finally {
            OffHeap.free(blocks);
        }
    }

    @Override
    public void close() {
        // It holds nothing between calls.
    }
}

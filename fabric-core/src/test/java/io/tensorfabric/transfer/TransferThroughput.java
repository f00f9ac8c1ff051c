package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.testing.TwoNodes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Prints how fast pushes between two nodes of this process are, for a look at changes: not a test. */
final class TransferThroughput {

    private TransferThroughput() {}

    /** Arguments: seconds for each size, chunk size in KiB, chunks for each transmission. All optional. */
    public static void main(String[] args) throws Exception {
        double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 2;
        TransferOptions.Builder options = TransferOptions.builder().landingZoneSize(256 << 20);
        if (args.length > 1) {
            options.chunkSize(Integer.parseInt(args[1]) << 10);
        }
        if (args.length > 2) {
            options.chunksPerTransmission(Integer.parseInt(args[2]));
        }
        try (SoftPair pair = new SoftPair(
                options,
                node -> node.poolOptions(new MemoryPoolOptions(512L << 20, 1024L << 20, 256, Duration.ofSeconds(5))))) {
            pair.b().register("close", "*", "*", ReceivedTensor::close);
            for (int size : new int[] {1, 4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20}) {
                for (int depth : new int[] {1, 8}) {
                    if ((long) size * depth <= 256 << 20) {
                        measure(pair, size, depth, seconds / 2);
                        measure(pair, size, depth, seconds);
                    }
                }
            }
        }
    }

    private static void measure(SoftPair pair, int size, int depth, double seconds) throws Exception {
        TensorDescriptor descriptor = new TensorDescriptor("bench", DataType.U8, Shape.of(size));
        BufferLease lease = pair.nodes.a().pool().acquire(size, "bench");
        OffHeap.fill(lease.address(), size, (byte) 1);
        try (Tensor tensor = Tensor.of(descriptor, lease.address(), lease)) {
            long[] latencies = new long[1 << 20];
            int pushes = 0;
            ArrayDeque<CompletableFuture<TransferReceipt>> window = new ArrayDeque<>();
            long start = System.nanoTime();
            long end = start + (long) (seconds * 1e9);
            while (System.nanoTime() < end) {
                if (window.size() == depth) {
                    TransferReceipt receipt = window.remove().get(30, TimeUnit.SECONDS);
                    latencies[pushes++ & latencies.length - 1] =
                            receipt.elapsed().toNanos();
                }
                window.add(pair.a().push(TwoNodes.B, tensor));
            }
            for (CompletableFuture<TransferReceipt> future : window) {
                future.get(30, TimeUnit.SECONDS);
                pushes++;
            }
            double took = (System.nanoTime() - start) / 1e9;
            long[] sorted = Arrays.copyOf(latencies, Math.min(pushes - window.size(), latencies.length));
            Arrays.sort(sorted);
            System.out.printf(
                    "%,11d bytes, %d at once: %,9.0f pushes/s, %7.3f GB/s, median %,8.1f us%n",
                    size,
                    depth,
                    pushes / took,
                    size * (double) pushes / took / 1e9,
                    sorted.length == 0 ? 0 : sorted[sorted.length / 2] / 1e3);
        }
    }
}

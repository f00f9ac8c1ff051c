package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.testing.TwoNodes;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much garbage a small push leaves, sender, receiver and software device together. */
@Timeout(120)
class AllocationTest {

    private static final int PUSHES = 20_000;

    private static final int ROUNDS = 6;

    private static final int AT_ONCE = 32;

    @Test
    void aSmallPushLeavesLittleGarbage() throws Exception {
        try (SoftPair pair = new SoftPair(TransferOptions.builder().landingZoneSize(16 << 20))) {
            pair.b().register("close", "*", "*", ReceivedTensor::close);
            TensorDescriptor descriptor = new TensorDescriptor("layer.0/activations", DataType.F32, Shape.of(16, 16));
            BufferLease lease = pair.nodes.a().pool().acquire(1024, "test");
            try (Tensor tensor = Tensor.of(descriptor, lease.address(), lease)) {
                long each = Long.MAX_VALUE;
                // The least: compilers take objects away one after the other, and write about it on the heap.
                for (int round = 0; round < ROUNDS; round++) {
                    long before = allocated();
                    push(pair, tensor, PUSHES);
                    each = Math.min(each, (allocated() - before) / PUSHES);
                }
                System.out.println("bytes allocated for each small push, both nodes together: " + each);
                assertThat(each).isLessThan(740);
            }
        }
    }

    private static void push(SoftPair pair, Tensor tensor, int times) throws Exception {
        CompletableFuture<?>[] window = new CompletableFuture<?>[AT_ONCE];
        for (int i = 0; i < times; i++) {
            CompletableFuture<?> oldest = window[i % AT_ONCE];
            if (oldest != null) {
                oldest.get(20, TimeUnit.SECONDS);
            }
            window[i % AT_ONCE] = pair.a().push(TwoNodes.B, tensor);
        }
        CompletableFuture.allOf(window).get(20, TimeUnit.SECONDS);
    }

    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }
}

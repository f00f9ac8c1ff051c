package io.tensorfabric.verbs.soft;

import io.tensorfabric.memory.HostMemoryProvider;
import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.memory.SharedHostMemoryProvider;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;

/**
 * Measures writes between two processes: run its main, with {@code -Dshared=true} from shared memory, with
 * {@code -Dspin=true} with a thread at each end that polls all the time.
 */
final class SoftThroughput {

    private static final int WINDOW = 16;

    private static final boolean SPIN = Boolean.getBoolean("spin");

    private SoftThroughput() {}

    /** Without arguments measures all sizes, else so many writes of so many bytes, as a profiler wants it. */
    public static void main(String[] arguments) throws Exception {
        long size = 64L << 20;
        MemoryProvider memory =
                Boolean.getBoolean("shared") ? new SharedHostMemoryProvider() : new HostMemoryProvider();
        try (End end = new End(SoftDeviceOptions.defaults(), size, memory);
                ForkedEnd peer = ForkedEnd.connect(end, size, "-Dspin=" + SPIN)) {
            if (SPIN) {
                end.queue.attend(true);
            }
            if (arguments.length > 0) {
                int count = Integer.parseInt(arguments[0]);
                int length = Integer.parseInt(arguments[1]);
                long took = run(end, peer, length, count, WINDOW);
                System.out.printf(
                        "write %d bytes: %.2f GB/s, %.0f messages/s%n",
                        length, (double) length * count / took, count * 1e9 / took);
                return;
            }
            for (int length : new int[] {8, 4096, 65_536, 1 << 20, 4 << 20}) {
                long total = Math.max(2_000L * length, 1L << 30);
                int count = (int) Math.min(200_000, total / length);
                run(end, peer, length, count / 4, WINDOW);
                long took = run(end, peer, length, count, WINDOW);
                System.out.printf(
                        "write %8d bytes: %6.2f GB/s, %8.0f messages/s%n",
                        length, (double) length * count / took, count * 1e9 / took);
            }
            for (int length : new int[] {8, 4096}) {
                run(end, peer, length, 20_000, 1);
                long took = run(end, peer, length, 20_000, 1);
                System.out.printf("latency %6d bytes: %.1f us%n", length, took / 20_000 / 1000.0);
            }
        }
    }

    private static long run(End end, ForkedEnd peer, int length, int count, int window) {
        long start = System.nanoTime();
        int posted = 0;
        int done = 0;
        while (done < count) {
            if (posted < count && posted - done < window) {
                end.sends
                        .clear()
                        .add(posted, Opcode.RDMA_WRITE)
                        .flags(SendFlag.SIGNALED)
                        .remote(peer.description().memory(), peer.description().rkey())
                        .local(end.memory, length, end.region.lkey());
                posted += end.pair.postSend(end.sends);
            }
            boolean mustWait = posted - done == window || posted == count;
            if (take(end, mustWait)) {
                if (end.completions.status(0) != WorkCompletionStatus.SUCCESS) {
                    throw new IllegalStateException("A write failed: " + end.completions.status(0));
                }
                done++;
            }
        }
        return System.nanoTime() - start;
    }

    /** Takes a completion; sleeps for it, since a busy wait would take a core from those who work. */
    private static boolean take(End end, boolean mustWait) {
        boolean taken = end.queue.poll(end.completions) > 0;
        while (!taken && mustWait && SPIN) {
            Thread.onSpinWait();
            taken = end.queue.poll(end.completions) > 0;
        }
        while (!taken && mustWait) {
            end.queue.requestNotification(false);
            taken = end.queue.poll(end.completions) > 0;
            if (!taken) {
                end.channel.await(Duration.ofSeconds(1));
                taken = end.queue.poll(end.completions) > 0;
            }
        }
        return taken;
    }
}

package io.tensorfabric.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the processes of a benchmark have used so far.
 *
 * @param cpuNanos processor time of the sender and of the receiver; NaN where the receiver's is not known
 * @param allocated bytes that threads of this process, which live now, have allocated
 */
record ProcessCost(double cpuNanos, long allocated) {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Until now; {@code receiver} is null when that is not a process of this machine's. */
    static ProcessCost now(@Nullable ProcessHandle receiver) {
        double other = receiver == null
                ? Double.NaN
                : receiver.info().totalCpuDuration().map(Duration::toNanos).orElse(-1L);
        double own = ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(-1L);
        long allocated = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            // Minus one for a thread that has ended meanwhile.
            allocated += Math.max(0, bytes);
        }
        return new ProcessCost(own < 0 || other < 0 ? Double.NaN : own + other, allocated);
    }

    ProcessCost since(ProcessCost earlier) {
        return new ProcessCost(cpuNanos - earlier.cpuNanos, allocated - earlier.allocated);
    }
}

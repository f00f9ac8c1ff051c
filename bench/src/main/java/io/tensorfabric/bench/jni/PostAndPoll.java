package io.tensorfabric.bench.jni;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairAttributes;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.WorkCompletions;
import io.tensorfabric.verbs.ibverbs.StubDevices;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Fills in work requests, posts them with one call, polls until all are complete and looks at each completion: the same as
 * {@code post_loop.c}, through the shim, on the same stub of libibverbs.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init")
public class PostAndPoll {

    private static final int MOST = 64;

    private static final int BYTES = 64;

    private static final int QUEUE = 256;

    /** Requests that are posted at once. */
    @Param({"1", "4", "16", "64"})
    public int batch;

    private VerbsContext context;

    private ProtectionDomain domain;

    private CompletionQueue queue;

    private QueuePair pair;

    private SendRequests requests;

    private WorkCompletions completions;

    private long memory;

    /** Makes a queue pair on the stub's device. */
    @Setup
    public void open() {
        context = StubDevices.open("stub0");
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(QUEUE, null);
        pair = domain.createQueuePair(
                QueuePairOptions.reliableConnected(queue, new QueuePairCapabilities(QUEUE, 1, 1, 1, 0)));
        // The stub knows no rules of transitions, and the provider wants RTS before it posts.
        pair.modify(QueuePairAttributes.to(QueuePairState.RTS).build());
        requests = SendRequests.allocate(MOST);
        completions = WorkCompletions.allocate(MOST);
        memory = OffHeap.allocate((long) MOST * BYTES, BYTES);
    }

    /** One batch. */
    @Benchmark
    public long postAndPoll() {
        requests.clear();
        for (int i = 0; i < batch; i++) {
            long at = memory + (long) i * BYTES;
            requests.add(i, Opcode.RDMA_WRITE).remote(at, 1).local(at, BYTES, 1).flags(SendFlag.SIGNALED);
        }
        if (pair.postSend(requests) != batch) {
            throw new IllegalStateException("The stub did not take all requests");
        }
        long done = 0;
        while (done < batch) {
            int count = queue.poll(completions);
            for (int i = 0; i < count; i++) {
                if (completions.statusCode(i) != 0 || completions.id(i) != done + i) {
                    throw new IllegalStateException("The stub completed something else");
                }
            }
            done += count;
        }
        return done;
    }

    /** Closes all of it. */
    @TearDown
    public void close() {
        OffHeap.free(memory);
        requests.close();
        completions.close();
        pair.close();
        queue.close();
        domain.close();
        context.close();
    }
}

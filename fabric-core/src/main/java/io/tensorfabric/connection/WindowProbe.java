package io.tensorfabric.connection;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.DeviceAttributes;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.MemoryWindow;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.WorkCompletions;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds out whether a device enforces the bounds of type-2 memory windows, since some do not (rxe of Linux 6.1): two queue
 * pairs of the device are connected, and one writes into and then past a window of the other. Two more do the same with reads.
 */
final class WindowProbe {

    private static final int REGION = 4096;
    private static final int WINDOW = 1024;
    private static final int WRITE = 64;
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final Set<AccessFlag> REGION_RIGHTS =
            EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.MEMORY_WINDOW_BIND);

    private static final Set<AccessFlag> QUEUE_PAIR_RIGHTS =
            EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);

    private final SendRequests requests;
    private final WorkCompletions completions;
    private final CompletionQueue queue;

    private WindowProbe(SendRequests requests, WorkCompletions completions, CompletionQueue queue) {
        this.requests = requests;
        this.completions = completions;
        this.queue = queue;
    }

    /**
     * What was found.
     *
     * @param enforced whether windows can be trusted
     * @param text the same in words
     */
    record Result(boolean enforced, String text) {}

    /** Makes the experiment; leaves nothing behind and does not throw. */
    static Result run(VerbsContext context, ProtectionDomain domain, DeviceAttributes attributes, PathDecision path) {
        if (!attributes.memoryWindowType2()) {
            return new Result(false, "not supported by the device");
        }
        long memory = OffHeap.allocate(REGION, REGION);
        try (Undo undo = new Undo()) {
            OffHeap.fill(memory, REGION, (byte) 0);
            undo.add(() -> OffHeap.free(memory));
            WindowProbe probe = new WindowProbe(
                    undo.add(SendRequests.allocate(1)),
                    undo.add(WorkCompletions.allocate(1)),
                    undo.add(context.createCompletionQueue(16, null)));
            Result writes = probe.experiment(undo, domain, memory, path, Opcode.RDMA_WRITE);
            return writes.enforced() ? probe.experiment(undo, domain, memory, path, Opcode.RDMA_READ) : writes;
        } catch (VerbsException | IllegalStateException e) {
            return new Result(false, "not used, the probe of their bounds failed: " + e.getMessage());
        }
    }

    private Result experiment(Undo undo, ProtectionDomain domain, long memory, PathDecision path, Opcode opcode) {
        MemoryRegion region = undo.add(domain.registerMemory(memory, REGION, REGION_RIGHTS));
        QueuePairCapabilities sizes = new QueuePairCapabilities(4, 1, 1, 1, 0);
        QueuePair user = undo.add(domain.createQueuePair(QueuePairOptions.reliableConnected(queue, sizes)));
        QueuePair owner = undo.add(domain.createQueuePair(QueuePairOptions.reliableConnected(queue, sizes)));
        connect(user, owner, path);
        MemoryWindow window = undo.add(domain.allocateMemoryWindow());
        WorkCompletionStatus bound = bind(owner, window, region, memory);
        if (bound != WorkCompletionStatus.SUCCESS) {
            return new Result(false, "not used, binding one ended with " + bound);
        }
        WorkCompletionStatus inside = use(user, opcode, region, memory + REGION - WRITE, memory, window.rkey());
        if (inside != WorkCompletionStatus.SUCCESS) {
            return new Result(false, "not used, " + opcode + " inside one ended with " + inside);
        }
        long crossing = memory + WINDOW - WRITE / 2;
        WorkCompletionStatus past = use(user, opcode, region, memory + REGION - WRITE, crossing, window.rkey());
        return past == WorkCompletionStatus.SUCCESS
                ? new Result(false, "not used, the device does not enforce their bounds")
                : new Result(true, "used, bounds enforced");
    }

    private static void connect(QueuePair a, QueuePair b, PathDecision path) {
        SecureRandom random = new SecureRandom();
        int psnOfA = random.nextInt(1 << 24);
        int psnOfB = random.nextInt(1 << 24);
        QueuePairSteps steps = new QueuePairSteps(ConnectionOptions.LinkOptions.defaults(), path, 1);
        steps.toInit(a, QUEUE_PAIR_RIGHTS);
        steps.toInit(b, QUEUE_PAIR_RIGHTS);
        steps.toRtr(a, path.activeMtu(), path.gid().gid(), path.lid(), b.number(), psnOfB, b.providerAddress());
        steps.toRtr(b, path.activeMtu(), path.gid().gid(), path.lid(), a.number(), psnOfA, a.providerAddress());
        steps.toRts(a, psnOfA, 1);
        steps.toRts(b, psnOfB, 1);
    }

    private WorkCompletionStatus bind(QueuePair owner, MemoryWindow window, MemoryRegion region, long memory) {
        requests.clear()
                .add(1, Opcode.BIND_MW)
                .flags(SendFlag.SIGNALED)
                .bindWindow(window, region, memory, WINDOW, window.nextRkey(), AccessFlag.mask(QUEUE_PAIR_RIGHTS));
        return execute(owner);
    }

    private WorkCompletionStatus use(
            QueuePair user, Opcode opcode, MemoryRegion region, long local, long remote, int rkey) {
        requests.clear()
                .add(2, opcode)
                .flags(SendFlag.SIGNALED)
                .local(local, WRITE, region.lkey())
                .remote(remote, rkey);
        return execute(user);
    }

    private WorkCompletionStatus execute(QueuePair queuePair) {
        if (queuePair.postSend(requests) != 1) {
            throw new IllegalStateException("the send queue is full");
        }
        long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (queue.poll(completions) == 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("no completion came in time");
            }
            LockSupport.parkNanos(50_000);
        }
        return completions.status(0);
    }
}

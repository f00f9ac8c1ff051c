package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Proves the path of every lane by writing to the start of the peer's first landing zone, which is still unused: one byte,
 * 4 KiB, then one byte more than a packet holds.
 */
final class PathProbe {

    private static final int PAGE = 4096;

    private final FabricConnection connection;

    private final ZoneGrant zone;

    private final Deadline deadline;

    PathProbe(FabricConnection connection, ZoneGrant zone, Deadline deadline) {
        this.connection = connection;
        this.zone = zone;
        this.deadline = deadline;
    }

    /**
     * Runs all steps.
     *
     * @throws ConnectionException naming the first that failed
     */
    void run(NegotiationSteps steps, FabricServices services) {
        int crossing = connection.mtu() + 1;
        BufferLease source = services.lease(Math.max(PAGE, crossing));
        boolean ended = false;
        try {
            OffHeap.fill(source.address(), source.length(), (byte) 0);
            write(steps, source, 1, "probe of 1 byte");
            write(steps, source, PAGE, "probe of 4 KiB");
            write(steps, source, crossing, "probe across the MTU of " + connection.mtu());
            ended = true;
        } finally {
            if (ended) {
                source.close();
            } else {
                // The device may still read from it until the connection, which fails now, is down.
                var unused = connection.whenDown().whenComplete((nothing, error) -> source.close());
            }
        }
    }

    private void write(NegotiationSteps steps, BufferLease source, int length, String step) {
        if (length > zone.size()) {
            return;
        }
        steps.run(step, () -> {
            List<CompletableFuture<WorkCompletionStatus>> ends = new ArrayList<>();
            for (QueuePairLane lane : connection.laneSet().lanes()) {
                int rkey = zone.rkeys().get(lane.index());
                ends.add(InternalWork.post(
                        lane,
                        false,
                        deadline,
                        work -> work.write(
                                source.address(), length, source.region().lkey(), zone.address(), rkey)));
            }
            for (int lane = 0; lane < ends.size(); lane++) {
                check(lane, InternalWork.await(ends.get(lane), deadline, steps.peer(), "A write on lane " + lane));
            }
        });
    }

    private void check(int lane, WorkCompletionStatus status) {
        if (status != WorkCompletionStatus.SUCCESS) {
            throw new ConnectionException(
                    Kind.UNREACHABLE,
                    connection.peerName(),
                    "the write on lane " + lane + " ended with " + status + ". " + status.cause() + " "
                            + status.remedy(),
                    status,
                    null);
        }
    }
}

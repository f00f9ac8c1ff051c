package io.tensorfabric.connection;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.SharedReceiveQueue;
import io.tensorfabric.verbs.WorkCompletionOpcode;
import io.tensorfabric.verbs.WorkCompletions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The shared receive queue of a connection with its slots. What comes before the connection's users know of it waits in its
 * slot. Used by the poller thread alone, but for start and close. Owns the queue and the memory.
 */
final class ReceiveQueue implements CompletionTarget {

    private final FabricConnection connection;
    private final CompletionPoller poller;
    private final SharedReceiveQueue queue;
    private final BufferLease lease;
    private final ByteBuffer[] slots;
    private final ReceiveRequests reposts;
    private final int[] repostedByLane;
    private final long target;
    private final Deque<Early> early = new ArrayDeque<>();
    private boolean gateOpen;
    private boolean batched;

    /** Something for the users that came before they knew the connection. */
    private record Early(QueuePairLane lane, int slot, boolean isImmediate, int immediate, int bytes) {}

    ReceiveQueue(
            FabricConnection connection,
            CompletionPoller poller,
            SharedReceiveQueue queue,
            BufferLease lease,
            int depth,
            int lanes) {
        this.connection = connection;
        this.poller = poller;
        this.queue = queue;
        this.lease = lease;
        this.slots = new ByteBuffer[depth];
        this.repostedByLane = new int[lanes];
        for (int i = 0; i < depth; i++) {
            slots[i] = OffHeap.asByteBuffer(address(i), MessageHeader.SLOT).order(ByteOrder.LITTLE_ENDIAN);
        }
        this.reposts = ReceiveRequests.allocate(depth);
        this.target = poller.router().register(this);
    }

    private long address(int slot) {
        return lease.address() + (long) slot * MessageHeader.SLOT;
    }

    /** Posts all receives. */
    void start() {
        for (int slot = 0; slot < slots.length; slot++) {
            add(slot);
        }
        int taken = queue.post(reposts);
        if (taken < slots.length) {
            throw new IllegalStateException(
                    "The shared receive queue took only " + taken + " of " + slots.length + " receives");
        }
        reposts.clear();
    }

    private void add(int slot) {
        reposts.add(WorkIds.of(target, slot))
                .local(address(slot), MessageHeader.SLOT, lease.region().lkey());
    }

    @Override
    public void completed(int slot, int status, WorkCompletions completions, int i) {
        if (slot < 0 || slot >= slots.length) {
            return;
        }
        if (status != 0) {
            connection.workFailed("a receive", status, completions.vendorError(i));
            return;
        }
        QueuePairLane lane = connection.laneOf(completions.queuePairNumber(i));
        if (lane == null) {
            repost(slot, null);
            return;
        }
        connection.heard();
        if (completions.opcodeCode(i) == WorkCompletionOpcode.RECV_RDMA_WITH_IMM.code()) {
            immediate(lane, slot, completions.immediate(i), completions.byteLength(i));
        } else {
            message(lane, slot, completions.byteLength(i));
        }
    }

    private void message(QueuePairLane lane, int slot, int bytes) {
        ByteBuffer message = slots[slot];
        String objection = MessageHeader.objection(message, bytes, lane.nextSequence());
        if (objection != null) {
            connection.fail(connection.malformed("a message on lane " + lane.index() + " is malformed: " + objection));
            return;
        }
        int credits = MessageHeader.credits(message);
        if (credits > 0) {
            if (!lane.credits().returned(credits)) {
                connection.fail(connection.malformed(
                        "the peer returned more credits on lane " + lane.index() + " than it had received messages"));
                return;
            }
            lane.wake();
        }
        int type = MessageHeader.type(message);
        if (type >= MessageTypes.FIRST_TRANSFER_TYPE) {
            deliver(lane, slot, bytes);
            return;
        }
        try {
            connection.ownMessage(lane, type, body(slot, bytes));
        } finally {
            repost(slot, lane);
        }
    }

    private ByteBuffer body(int slot, int bytes) {
        return slots[slot].clear().limit(bytes).position(MessageHeader.SIZE);
    }

    private void deliver(QueuePairLane lane, int slot, int bytes) {
        if (!gateOpen) {
            early.add(new Early(lane, slot, false, 0, bytes));
            return;
        }
        try {
            connection.calls().received(lane, MessageHeader.type(slots[slot]), body(slot, bytes));
        } finally {
            repost(slot, lane);
        }
    }

    private void immediate(QueuePairLane lane, int slot, int immediate, int bytes) {
        if (!gateOpen) {
            early.add(new Early(lane, slot, true, immediate, bytes));
            return;
        }
        try {
            connection.calls().immediate(lane, immediate, bytes);
        } finally {
            repost(slot, lane);
        }
    }

    /** The users know the connection: hands out what came before. Poller thread. */
    void openGate() {
        gateOpen = true;
        for (Early next = early.poll(); next != null; next = early.poll()) {
            if (next.isImmediate()) {
                immediate(next.lane(), next.slot(), next.immediate(), next.bytes());
            } else {
                deliver(next.lane(), next.slot(), next.bytes());
            }
        }
        flush();
    }

    private void repost(int slot, @Nullable QueuePairLane lane) {
        add(slot);
        if (lane != null) {
            repostedByLane[lane.index()]++;
        }
        if (!batched) {
            batched = true;
            poller.batchEnds(this);
        }
    }

    @Override
    public void batchEnded() {
        batched = false;
        flush();
    }

    /** Posts the receives before it owes their credits, lest the peer sends before they are there. */
    private void flush() {
        if (reposts.size() == 0 || connection.state() == ConnectionState.DOWN) {
            return;
        }
        int taken = queue.post(reposts);
        if (taken < reposts.size()) {
            connection.fail(connection.lost("the shared receive queue refused receives that it had room for", null));
        }
        reposts.clear();
        for (int i = 0; i < repostedByLane.length; i++) {
            int count = repostedByLane[i];
            if (count > 0) {
                repostedByLane[i] = 0;
                QueuePairLane lane = connection.lane(i);
                lane.credits().owe(count);
                lane.returnCredits();
            }
        }
    }

    SharedReceiveQueue queue() {
        return queue;
    }

    /** No more completions are taken. */
    void unregister() {
        poller.router().unregister(target);
    }

    /** Destroys the queue and gives the memory back; the queue pairs are destroyed, and the poller has left it. */
    void close() {
        Undo.closeQuietly(queue);
        reposts.close();
        lease.close();
    }
}

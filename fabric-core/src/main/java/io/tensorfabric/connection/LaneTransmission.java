package io.tensorfabric.connection;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.MemoryWindow;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.SendRequests;
import java.nio.ByteBuffer;
import java.util.Set;

/** The transmission of a lane, guarded by the lane's lock and used again and again. */
final class LaneTransmission implements Transmission {

    private static final int MAX_WRITE = 1 << 30;

    private final QueuePairLane lane;
    private final SendBuffers buffers;
    private final SendRequests requests;
    private final int maxInline;
    private boolean open;
    private boolean internal;
    private int reserved;
    private boolean credit;
    private boolean creditUsed;
    private int slot;
    private long id;
    private int messageType;

    LaneTransmission(QueuePairLane lane, SendBuffers buffers, int capacity, int maxInline) {
        this.lane = lane;
        this.buffers = buffers;
        this.requests = SendRequests.allocate(capacity);
        this.maxInline = maxInline;
    }

    /** Begins anew with what the lane has set aside for it. */
    LaneTransmission begin(long target, int freeSlot, int requestCount, boolean withCredit, boolean forItself) {
        open = true;
        internal = forItself;
        reserved = requestCount;
        credit = withCredit;
        creditUsed = false;
        slot = freeSlot;
        id = WorkIds.of(target, freeSlot);
        messageType = 0;
        requests.clear();
        return this;
    }

    private SendRequests add(Opcode opcode) {
        checkOpen();
        if (messageType != 0) {
            throw new IllegalStateException("A message is the last request of its transmission");
        }
        if (requests.size() == reserved) {
            throw new IllegalStateException("The transmission was begun for " + reserved + " requests");
        }
        return requests.add(id, opcode);
    }

    private void checkOpen() {
        if (!open) {
            throw new IllegalStateException("The transmission has ended: begin another one");
        }
    }

    private void useCredit(String what) {
        checkOpen();
        if (!credit || creditUsed) {
            throw new IllegalStateException(
                    what + " needs a credit: begin with one, and send at most one message or immediate");
        }
        creditUsed = true;
    }

    private static void local(SendRequests request, long address, int length, int lkey) {
        if (length < 0 || length > MAX_WRITE) {
            throw new IllegalArgumentException("A request moves 0 to " + MAX_WRITE + " bytes, not " + length);
        }
        if (length > 0) {
            request.local(address, length, lkey);
        }
    }

    @Override
    public void write(long localAddress, int length, int lkey, long remoteAddress, int rkey) {
        local(add(Opcode.RDMA_WRITE).remote(remoteAddress, rkey), localAddress, length, lkey);
    }

    @Override
    public void writeWithImmediate(
            long localAddress, int length, int lkey, long remoteAddress, int rkey, int immediate) {
        useCredit("A write with immediate");
        SendRequests request = add(Opcode.RDMA_WRITE_WITH_IMM).remote(remoteAddress, rkey);
        local(request.immediate(immediate), localAddress, length, lkey);
    }

    @Override
    public void read(long localAddress, int length, int lkey, long remoteAddress, int rkey) {
        local(add(Opcode.RDMA_READ).remote(remoteAddress, rkey), localAddress, length, lkey);
    }

    /** Binds a memory window to this lane for what the peer may do there. */
    void bind(MemoryWindow window, MemoryRegion region, long address, long length, Set<AccessFlag> remote) {
        add(Opcode.BIND_MW).bindWindow(window, region, address, length, window.nextRkey(), AccessFlag.mask(remote));
    }

    @Override
    public ByteBuffer message(int type) {
        if (type < MessageTypes.FIRST_TRANSFER_TYPE || type > 0xff) {
            throw new IllegalArgumentException("Types of the transfer layer are from "
                    + MessageTypes.FIRST_TRANSFER_TYPE + " to 255, not " + type);
        }
        return open(type);
    }

    /** As {@link #message}, for the connection's own types. */
    ByteBuffer open(int type) {
        useCredit("A message");
        add(Opcode.SEND);
        messageType = type;
        return buffers.body(buffers.next());
    }

    @Override
    public void submit(TransmissionListener listener, long token) {
        checkOpen();
        if (requests.size() == 0) {
            throw new IllegalStateException("There is nothing to submit: cancel the transmission");
        }
        open = false;
        lane.submit(this, listener, token);
    }

    /** Fills in the message, and marks the last request so that it tells the end of all. */
    void seal(int creditsReturned, long sequence) {
        int flags = SendFlag.SIGNALED;
        if (messageType != 0) {
            int buffer = buffers.next();
            int body = buffers.bodyLength(buffer);
            int bytes = MessageHeader.SIZE + body;
            MessageHeader.write(buffers.slot(buffer), messageType, creditsReturned, body, sequence);
            requests.local(buffers.address(buffer), bytes, buffers.lkey());
            flags |= bytes <= maxInline ? SendFlag.INLINE : 0;
        }
        requests.flags(flags);
        long last = requests.address() + (requests.size() - 1L) * SendRequests.STRIDE;
        OffHeap.putLong(last + SendRequests.OFFSET_ID, id | WorkIds.LAST);
    }

    @Override
    public void cancel() {
        checkOpen();
        open = false;
        lane.cancel(this);
    }

    SendRequests requests() {
        return requests;
    }

    int slot() {
        return slot;
    }

    boolean hasMessage() {
        return messageType != 0;
    }

    boolean isInternal() {
        return internal;
    }

    /** Requests that were set aside but not added. */
    int unusedRequests() {
        return reserved - requests.size();
    }

    int reservedRequests() {
        return reserved;
    }

    boolean hasCredit() {
        return credit;
    }

    boolean hasUnusedCredit() {
        return credit && !creditUsed;
    }

    void close() {
        requests.close();
    }
}

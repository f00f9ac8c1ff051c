package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionState;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.LanePurpose;
import io.tensorfabric.connection.Transmission;
import io.tensorfabric.connection.TransmissionListener;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** One end of a lane in memory: what is submitted runs in order on the node's wire thread. */
final class FakeLane implements Lane {

    private final FakeConnection connection;
    private final int index;
    private final LanePurpose purpose;
    private final ReentrantLock holder = new ReentrantLock();
    private final ArrayDeque<Sent> outstanding = new ArrayDeque<>();
    private boolean refused;
    private boolean broken;

    /** One request: local memory that is written to the peer's, or read from there. */
    private record Write(long local, int length, int lkey, long remote, int rkey, boolean read) {}

    private record Sent(List<Write> writes, int type, byte[] message, TransmissionListener listener, long token) {}

    FakeLane(FakeConnection connection, int index, LanePurpose purpose) {
        this.connection = connection;
        this.index = index;
        this.purpose = purpose;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public LanePurpose purpose() {
        return purpose;
    }

    @Override
    public Transmission begin(int requests, boolean withMessage) {
        holder.lock();
        synchronized (outstanding) {
            boolean room = outstanding.size() < connection.node().faults.laneDepth;
            if (!room) {
                refused = true;
            }
            if (!room || connection.state() == ConnectionState.DOWN) {
                holder.unlock();
                return null;
            }
        }
        return new FakeTransmission(requests, withMessage);
    }

    private final class FakeTransmission implements Transmission {

        private final int requests;
        private final boolean withMessage;
        private final List<Write> writes = new ArrayList<>();
        private final ByteBuffer body = ByteBuffer.allocate(MAX_BODY).order(ByteOrder.LITTLE_ENDIAN);
        private int type = -1;

        FakeTransmission(int requests, boolean withMessage) {
            this.requests = requests;
            this.withMessage = withMessage;
        }

        @Override
        public void write(long localAddress, int length, int lkey, long remoteAddress, int rkey) {
            writes.add(new Write(localAddress, length, lkey, remoteAddress, rkey, false));
        }

        @Override
        public void writeWithImmediate(long local, int length, int lkey, long remote, int rkey, int immediate) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void read(long localAddress, int length, int lkey, long remoteAddress, int rkey) {
            writes.add(new Write(localAddress, length, lkey, remoteAddress, rkey, true));
        }

        @Override
        public ByteBuffer message(int messageType) {
            type = messageType;
            return body;
        }

        @Override
        public void submit(TransmissionListener listener, long token) {
            int used = writes.size() + (type >= 0 ? 1 : 0);
            if (used != requests || withMessage != type >= 0) {
                throw new IllegalStateException(requests + " requests announced, " + used + " added");
            }
            byte[] message = new byte[body.position()];
            body.flip().get(message);
            Sent sent = new Sent(writes, type, message, listener, token);
            boolean down;
            synchronized (outstanding) {
                outstanding.add(sent);
                down = connection.state() == ConnectionState.DOWN;
            }
            connection.node().wire.execute(() -> run(sent));
            holder.unlock();
            if (down) {
                connection.node().completions.execute(FakeLane.this::flush);
            }
        }

        @Override
        public void cancel() {
            holder.unlock();
        }
    }

    private void run(Sent sent) {
        if (connection.node().faults.holds(index, () -> run(sent))) {
            return;
        }
        connection.node().faults.awaitWire();
        WorkCompletionStatus status;
        synchronized (this) {
            if (!isOutstanding(sent)) {
                return;
            }
            status = broken ? WorkCompletionStatus.WR_FLUSH_ERR : transmit(sent);
            broken |= status != WorkCompletionStatus.SUCCESS;
        }
        connection.node().completions.execute(() -> complete(sent, status));
    }

    private WorkCompletionStatus transmit(Sent sent) {
        FakeFaults faults = connection.node().faults;
        WorkCompletionStatus fault = faults.next();
        if (fault != null) {
            return fault;
        }
        if (connection.state() == ConnectionState.DOWN) {
            return WorkCompletionStatus.WR_FLUSH_ERR;
        }
        for (Write write : sent.writes) {
            if (!connection.node().domain.covers(write.lkey, write.local, write.length)) {
                return WorkCompletionStatus.LOC_PROT_ERR;
            }
            if (!connection.peer.permits(write.rkey, write.remote, write.length)) {
                return WorkCompletionStatus.REM_ACCESS_ERR;
            }
            long to = write.read ? write.local : write.remote;
            OffHeap.copy(write.read ? write.remote : write.local, to, write.length);
            if (faults.damages()) {
                OffHeap.putByte(to, (byte) (OffHeap.getByte(to) ^ 1));
            }
            faults.requests.incrementAndGet(index);
            if (!write.read) {
                faults.writes.incrementAndGet();
            }
        }
        if (sent.type >= 0 && !faults.dropMessages) {
            ByteBuffer body = ByteBuffer.wrap(sent.message).order(ByteOrder.LITTLE_ENDIAN);
            FakeConnection there = connection.peer;
            there.node().poller.execute(() -> {
                if (there.state() != ConnectionState.DOWN) {
                    there.node().transfers().received(there, there.lane(index), sent.type, body);
                }
            });
        }
        return WorkCompletionStatus.SUCCESS;
    }

    private void complete(Sent sent, WorkCompletionStatus status) {
        connection.node().faults.awaitCompletions();
        synchronized (this) {
            if (!remove(sent)) {
                return;
            }
            sent.listener.completed(this, sent.token, status, 0);
        }
        if (status != WorkCompletionStatus.SUCCESS) {
            connection.fail(new ConnectionException(
                    ConnectionException.Kind.LOST, connection.peerName(), "A work request failed", status, null));
        }
        boolean again;
        synchronized (outstanding) {
            again = refused;
            refused = false;
        }
        if (again) {
            connection.node().transfers().ready(this);
        }
    }

    private boolean isOutstanding(Sent sent) {
        synchronized (outstanding) {
            return outstanding.contains(sent);
        }
    }

    private boolean remove(Sent sent) {
        synchronized (outstanding) {
            return outstanding.remove(sent);
        }
    }

    /** Ends what is outstanding. */
    synchronized void flush() {
        while (true) {
            Sent sent;
            synchronized (outstanding) {
                sent = outstanding.poll();
            }
            if (sent == null) {
                return;
            }
            sent.listener.completed(this, sent.token, WorkCompletionStatus.WR_FLUSH_ERR, 0);
        }
    }

    /** Waits until nothing of this lane is being written. */
    synchronized void awaitQuiet() {}
}

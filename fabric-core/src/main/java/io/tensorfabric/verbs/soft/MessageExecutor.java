package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Executes the peer's messages: checks them in the order in which rxe does (operation, receive, length, key), puts
 * their bytes in place, completes receives. Guarded by the queue pair's receive lock.
 */
final class MessageExecutor implements FrameReader.Sink {

    private enum Mode {
        /** Between messages. */
        IDLE,
        /** The bytes of the message go to their place. */
        LAND,
        /** The bytes of the message are thrown away. */
        DISCARD
    }

    private final Pair pair;

    private final MemoryAccess access;

    private final Answers answers;

    private final TakenReceive receive;

    private long expected;

    private int peerMtu;

    private boolean receiverNotReady;

    private boolean failed;

    private Mode mode = Mode.IDLE;

    private byte type;

    private boolean solicited;

    private int immediate;

    private long sequence;

    private long total;

    private long offset;

    private long address;

    private @Nullable Grant grant;

    private final SourceTable sources;

    private int copied;

    private boolean change;

    MessageExecutor(Pair pair, MemoryAccess access, Answers answers) {
        this.pair = pair;
        this.access = access;
        this.answers = answers;
        this.receive = new TakenReceive(pair);
        this.sources = new SourceTable(pair.engine().sharedSources());
    }

    /** Number of the next message to execute. */
    long expected() {
        return expected;
    }

    boolean hasFailed() {
        return failed;
    }

    /** Whether no more can be taken until answers have left: all places for READs are in use. */
    boolean isHeld() {
        return !failed && answers.pendingReads() >= Math.max(1, pair.config().readsAsTarget());
    }

    @Override
    public boolean mayRead() {
        return !isHeld();
    }

    @Override
    public int headerBytes(ByteBuffer in) {
        if (in.get(in.position()) == Wire.ANNOUNCE) {
            return Wire.ANNOUNCEMENT;
        }
        boolean shared = (in.get(in.position() + 1) & Wire.FLAG_SHARED) != 0;
        return shared ? Wire.REQUEST_HEADER + Wire.REFERENCE : Wire.REQUEST_HEADER;
    }

    @Override
    public int takeCopied() {
        int bytes = copied;
        copied = 0;
        return bytes;
    }

    @Override
    public boolean takeChange() {
        boolean now = change;
        change = false;
        return now;
    }

    /** The rings by which this connection goes on. */
    RingPair rings() throws IOException {
        return sources.rings();
    }

    @Override
    public int header(ByteBuffer in) throws IOException {
        byte newType = in.get();
        if (newType == Wire.ANNOUNCE) {
            boolean opened = sources.read(in);
            answers.shared(sources.last(), opened);
            return 0;
        }
        if (newType == Wire.RING) {
            sources.rings();
            in.position(in.position() + Wire.REQUEST_HEADER - 1);
            change = true;
            return 0;
        }
        byte flags = in.get();
        in.getShort();
        int newImmediate = in.getInt();
        long newSequence = in.getLong();
        long newAddress = in.getLong();
        int rkey = in.getInt();
        int length = in.getInt();
        long newTotal = in.getLong();
        if (length < 0 || length > Wire.SEGMENT || newTotal < 0 || newTotal > Wire.MAX_MESSAGE) {
            throw new Wire.ProtocolException("A frame has an impossible length");
        }
        boolean shared = (flags & Wire.FLAG_SHARED) != 0;
        if (newType == Wire.CONTINUE) {
            boolean fits = mode != Mode.IDLE
                    && newSequence == sequence
                    && newAddress == offset
                    && newTotal == total
                    && length <= total - offset;
            require(fits, "A frame does not continue the message under way");
            return shared ? copy(in, length) : length;
        }
        require(mode != Mode.LAND, "A message began within another");
        boolean sized = newType == Wire.READ ? length == 0 : length <= newTotal && (length > 0 || newTotal == 0);
        require(sized && newType >= Wire.WRITE && newType <= Wire.READ, "A message has a wrong type or length");
        type = newType;
        solicited = (flags & Wire.FLAG_SOLICITED) != 0;
        immediate = newImmediate;
        sequence = newSequence;
        address = newAddress;
        total = newTotal;
        offset = 0;
        begin(rkey);
        return shared ? copy(in, length) : length;
    }

    /** Takes the payload of a frame from the requester's memory. */
    private int copy(ByteBuffer in, int length) throws IOException {
        int number = in.getInt();
        in.getInt();
        long source = sources.locate(number, in.getLong(), length);
        if (open(length)) {
            try {
                access.fillFrom(source);
            } finally {
                access.release();
            }
            sources.checkCurrent();
            pair.engine().sharedBytes().add(length);
        }
        landed(length);
        copied += length;
        answers.progress();
        return 0;
    }

    private static void require(boolean condition, String message) throws IOException {
        if (!condition) {
            throw new Wire.ProtocolException(message);
        }
    }

    private void begin(int rkey) throws IOException {
        mode = Mode.DISCARD;
        if (failed) {
            return;
        }
        if (sequence < expected) {
            if (type == Wire.READ) {
                execute(rkey);
            }
        } else if (sequence == expected) {
            receiverNotReady = false;
            execute(rkey);
        } else {
            require(receiverNotReady, "A message is missing");
        }
    }

    private void execute(int rkey) {
        boolean receives = type == Wire.WRITE_IMM || isSend();
        if (!isAllowed()) {
            refuse(Wire.NAK_INVALID_REQUEST, WorkCompletionStatus.REM_INV_REQ_ERR);
        } else if (receives && !receive.take()) {
            receiverNotReady = true;
            answers.receiverNotReady(sequence, pair.config().minRnrTimer());
        } else if (isSend()) {
            beginSend();
        } else if (!openRemote(rkey)) {
            refuse(Wire.NAK_REMOTE_ACCESS, WorkCompletionStatus.REM_ACCESS_ERR);
        } else if (type == Wire.READ) {
            answers.read(sequence, grant, address, total);
            expected = Math.max(expected, sequence + 1);
            mode = Mode.IDLE;
        } else {
            mode = Mode.LAND;
        }
    }

    private boolean isSend() {
        return type == Wire.SEND || type == Wire.SEND_IMM || type == Wire.SEND_INV;
    }

    private boolean isAllowed() {
        PairConfig config = pair.config();
        // Packets of another size than this end's MTU are refused as soon as a message takes more than one.
        int ownMtu = config.mtu().bytes();
        if (peerMtu != ownMtu && total > Math.min(peerMtu, ownMtu)) {
            return false;
        }
        return switch (type) {
            case Wire.READ -> config.allows(AccessFlag.REMOTE_READ) && config.readsAsTarget() > 0;
            case Wire.WRITE, Wire.WRITE_IMM -> config.allows(AccessFlag.REMOTE_WRITE);
            default -> true;
        };
    }

    private void beginSend() {
        long room = MemoryAccess.totalLength(receive.elements(), receive.elementCount());
        if (total > room) {
            refuse(Wire.NAK_REMOTE_OPERATION, WorkCompletionStatus.LOC_LEN_ERR);
        } else if (!access.permitsLocal(
                receive.elements(), receive.elementCount(), pair.domain(), pair, Rights.LOCAL_WRITE)) {
            refuse(Wire.NAK_REMOTE_OPERATION, WorkCompletionStatus.LOC_PROT_ERR);
        } else {
            mode = Mode.LAND;
        }
    }

    /** Finds and checks the remote memory; no bytes need no key (C9-88 of the InfiniBand specification). */
    private boolean openRemote(int rkey) {
        grant = null;
        if (total == 0) {
            return true;
        }
        Grant found = pair.engine().keys().find(rkey, true);
        int right = type == Wire.READ ? Rights.REMOTE_READ : Rights.REMOTE_WRITE;
        if (found == null || !found.permits(pair.domain(), pair, right) || !found.covers(address, total)) {
            return false;
        }
        grant = found;
        return true;
    }

    @Override
    public boolean open(int length) {
        if (mode != Mode.LAND) {
            return false;
        }
        if (isSend()) {
            if (access.openLocal(receive.elements(), receive.elementCount(), offset, length, false)) {
                return true;
            }
            memoryGone();
            return false;
        }
        if (grant != null && access.openRemote(grant, address + offset, length)) {
            return true;
        }
        refuse(Wire.NAK_REMOTE_ACCESS, WorkCompletionStatus.REM_ACCESS_ERR);
        return false;
    }

    @Override
    public void memoryGone() {
        if (mode == Mode.IDLE) {
            // The message is done, and only now does the JVM tell: blame the next one rather than none.
            sequence = expected;
        }
        refuse(Wire.NAK_REMOTE_OPERATION, WorkCompletionStatus.LOC_PROT_ERR);
    }

    @Override
    public void landed(int bytes) {
        offset += bytes;
    }

    @Override
    public void frameDone() {
        if (mode == Mode.IDLE || offset < total) {
            return;
        }
        boolean landed = mode == Mode.LAND;
        boolean duplicate = !landed && !failed && sequence < expected;
        mode = Mode.IDLE;
        if (landed) {
            finish();
        } else if (duplicate) {
            answers.acknowledge(expected - 1);
        }
    }

    private void finish() {
        if (type == Wire.SEND_INV && !pair.invalidate(immediate)) {
            refuse(Wire.NAK_REMOTE_ACCESS, WorkCompletionStatus.REM_INV_REQ_ERR);
            return;
        }
        expected++;
        if (receive.isTaken()) {
            completeReceive(WorkCompletionStatus.SUCCESS);
        }
        answers.acknowledge(sequence);
    }

    private void completeReceive(WorkCompletionStatus status) {
        receive.complete(status, type, total, immediate, solicited);
    }

    private void refuse(byte code, WorkCompletionStatus receiveStatus) {
        failed = true;
        mode = Mode.DISCARD;
        if (receive.isTaken()) {
            completeReceive(receiveStatus);
        }
        answers.refuse(sequence, code);
    }

    void connected(int mtu, boolean local) {
        peerMtu = mtu;
        sources.connected(local);
    }

    /** The connection is gone; a message under way will come again from its beginning. */
    void disconnected() {
        mode = Mode.IDLE;
        receiverNotReady = false;
        grant = null;
        copied = 0;
        change = false;
        sources.clear();
    }

    /** Flushes the receive that is taken and all that are posted; those of a shared queue stay. */
    void flush() {
        if (receive.isTaken()) {
            completeReceive(WorkCompletionStatus.WR_FLUSH_ERR);
        }
        pair.flushReceives();
    }

    void reset() {
        disconnected();
        expected = 0;
        receive.forget();
        failed = false;
    }

    void free() {
        receive.free();
    }
}

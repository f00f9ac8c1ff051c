package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.PoolExhaustedException;
import io.tensorfabric.memory.cuda.CopyNotEndedException;
import io.tensorfabric.memory.cuda.CudaDriverException;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.transfer.TransferStatus.Direction;
import io.tensorfabric.transfer.TransferStatus.State;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A tensor that arrived, from its header to the end of its listener, and the view that the listener gets. Its room goes
 * back over the link that brought it; its answers go over the latest link that the sender asked on. Thread-safe.
 */
final class InboundTransfer extends InboundAnswers implements ReceivedTensor, Runnable {

    private static final Logger log = LoggerFactory.getLogger(InboundTransfer.class);

    private final Engine engine;
    private final PeerLink home;
    private final @Nullable InboundGroup group;
    private final boolean checksummed;
    private final int checksum;
    private final @Nullable GrantedZone zone;
    private final long offset;
    private final MemoryKind landing;
    private final boolean copied;
    private volatile Tensor tensor;
    private final Map<String, String> headers;
    private final long arrivedMillis = System.currentTimeMillis();
    private final long arrivedNanos = System.nanoTime();

    /** Who has it; set before any answer can be put off. */
    private volatile ListenerRegistry.@Nullable Listener taker;

    /** Of a listener that answers later. */
    private volatile @Nullable DeferredAnswer deferred;

    private boolean answered; // by the listener's return; guarded by this

    /** Whether others of its group have gone to their listeners, so that it waits for none. */
    private volatile boolean alone;

    /** Whether the bytes are where the listener wants them. Of one listener thread after the other. */
    private boolean arrived;

    /**
     * @param address first byte in the zone, 0 for an empty tensor
     * @param group with which it goes to listeners
     */
    InboundTransfer(
            Engine engine,
            PeerLink home,
            TensorMessage message,
            @Nullable GrantedZone zone,
            long address,
            @Nullable InboundGroup group) {
        super(message.transferId(), message.wanted(), home);
        this.engine = engine;
        this.home = home;
        this.group = group;
        this.checksummed = message.checksummed();
        this.checksum = message.checksum();
        this.zone = zone;
        this.offset = message.offset();
        this.headers = message.headers();
        this.landing = engine.landing().target(message.landing());
        MemoryKind kind = zone == null ? landing : zone.kind();
        this.copied = !kind.equals(landing);
        this.tensor = Tensor.of(message.descriptor(), address, kind, this::giveBack);
        engine.log().tensorOpened();
    }

    @Override
    public String peer() {
        return home.peerName();
    }

    @Override
    public String peerNodeId() {
        return home.nodeId();
    }

    @Override
    public Tensor tensor() {
        return tensor;
    }

    @Override
    public Map<String, String> headers() {
        return headers;
    }

    @Override
    public Instant arrived() {
        return Instant.ofEpochMilli(arrivedMillis);
    }

    @Override
    public boolean dedicatedZone() {
        return zone != null && zone.isDedicated();
    }

    @Override
    public @Nullable TensorGroup group() {
        return group == null ? null : group.what();
    }

    @Override
    public synchronized Acknowledgment defer() {
        if (deferred != null || answered) {
            String why = answered ? "is given already: put it off before the listener returns" : "was put off before";
            throw new IllegalStateException("The answer for tensor '" + tensor.name() + "' " + why);
        }
        DeferredAnswer later = new DeferredAnswer(this);
        deferred = later;
        return later;
    }

    /** Whether its answer is still to come though its listener may have returned. */
    boolean isPutOff() {
        DeferredAnswer later = deferred;
        return later != null && !later.isEnded();
    }

    @Override
    public void close() {
        tensor.close();
    }

    /** The tensor is closed and nothing holds it. */
    private void giveBack() {
        engine.log().tensorClosed();
        if (zone != null) {
            // In this order: the peer may use the room as soon as it hears of it.
            zone.close();
            home.sender().answers().giveBack(zone.id(), offset, tensor.byteLength());
        }
    }

    /** There is a place in the listeners' queue. Twice is harmless. */
    void admitted() {
        if (!checksummed && !copied && group == null) {
            tellAccepted();
        }
    }

    /** On a listener thread; a second time when its group is complete. */
    @Override
    public void run() {
        if (!arrived && !arrive()) {
            return;
        }
        arrived = true;
        if (group != null && !alone && !group.owner().ready(this, group)) {
            return;
        }
        alone = true;
        // Here too: a thread may come before whoever gave it a place in the queue has said so.
        tellAccepted();
        deliver();
    }

    /** It waited for others of its group, and does not reach its listener. */
    void dropped(RejectCode code, String text) {
        refuse(code, text);
        notHeld();
    }

    private void notHeld() {
        held(false);
        engine.inbox().answered(this);
    }

    /** Takes it out of its group, to make way for the same transfer over another link; false if it does not wait there. */
    boolean withdraw() {
        if (group == null || !group.owner().withdraw(this, group)) {
            return false;
        }
        close();
        logEnd(State.FAILED, "It came again over another connection");
        home.ledger().refused(transferId(), false);
        notHeld();
        return true;
    }

    /** Brings the bytes, checked, to where the listener wants them; false if they are not, which the sender is told. */
    private boolean arrive() {
        try {
            if (zone != null && zone.shared() == null) {
                GpuArrival.flush(engine.memory(), tensor.kind());
            }
            if (checksummed && GpuArrival.checksum(engine.memory(), tensor) != checksum) {
                refuse(RejectCode.CHECKSUM, "its bytes are not those that were sent");
                return false;
            }
            if (copied && zone != null) {
                copyOn();
            }
            return true;
        } catch (PoolExhaustedException e) {
            refuse(RejectCode.BUSY, String.valueOf(e.getMessage()));
        } catch (CudaDriverException | CopyNotEndedException e) {
            log.warn("Tensor '{}' of peer '{}' cannot be brought to {}", tensor.name(), peer(), landing, e);
            refuse(RejectCode.BUSY, String.valueOf(e.getMessage()));
        }
        return false;
    }

    private void copyOn() {
        Tensor arrived = tensor;
        BufferLease lease = GpuArrival.copy(engine.memory(), arrived, landing);
        engine.log().tensorOpened();
        tensor = Tensor.of(arrived.descriptor(), lease.address(), lease.kind(), () -> {
            engine.log().tensorClosed();
            lease.close();
        });
        arrived.close();
    }

    private void deliver() {
        while (true) {
            ListenerRegistry.Listener listener = engine.listeners().find(tensor.name(), peer());
            if (listener == null) {
                refuse(RejectCode.NO_LISTENER, "the listener for it was taken away");
                return;
            }
            taker = listener;
            try {
                if (!listener.receive(this)) {
                    continue;
                }
                returned();
            } catch (Throwable e) {
                // Errors too: the sender waits for an answer, and the thread goes on with others' tensors.
                threw(listener, e);
            }
            return;
        }
    }

    private void returned() {
        synchronized (this) {
            if (deferred != null) {
                return;
            }
            answered = true;
        }
        processed();
    }

    private void threw(ListenerRegistry.Listener listener, Throwable problem) {
        if (problem instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        DeferredAnswer later;
        synchronized (this) {
            later = deferred;
            answered = later == null;
        }
        if (later == null || later.end()) {
            unprocessed(listener, problem);
        }
    }

    /** The listener did not take it. */
    private void unprocessed(ListenerRegistry.Listener listener, Throwable problem) {
        if (problem instanceof TensorRefusedException refusal) {
            refusedBy(listener, refusal.isTemporary() ? RejectCode.BUSY : RejectCode.REFUSED, refusal);
        } else if (problem instanceof PoolExhaustedException full) {
            refusedBy(listener, RejectCode.BUSY, full);
        } else {
            failed(listener, problem);
        }
    }

    /** The answer that was put off. */
    void answered(@Nullable Throwable problem) {
        ListenerRegistry.Listener from = taker;
        if (problem == null || from == null) {
            processed();
        } else {
            unprocessed(from, problem);
        }
        engine.inbox().answered(this);
    }

    private void processed() {
        home.ledger().ended(transferId(), SenderLedger.Processed.INSTANCE);
        logEnd(State.DONE, null);
        tellProcessed();
    }

    /** It has no room, or does not want it: the sender hears why, and may send it again. */
    private void refusedBy(ListenerRegistry.Listener listener, RejectCode code, RuntimeException why) {
        listener.log().refused(listener, this, why);
        // Under PLACED and ACCEPTED the sender is done with it already.
        refuse(code, String.valueOf(why.getMessage()), ReceiptLevel.PROCESSED);
    }

    private void failed(ListenerRegistry.Listener listener, Throwable problem) {
        listener.log().failed(listener, this, problem);
        close();
        String text = problem.getClass().getSimpleName() + ": " + problem.getMessage();
        home.ledger().ended(transferId(), new SenderLedger.Failed(text));
        engine.log().listenerFailed();
        logEnd(State.FAILED, text);
        tellRefused(RejectCode.LISTENER_FAILED, text, ReceiptLevel.PROCESSED);
    }

    /** It does not reach a listener; the sender hears why and may send it again. */
    void refuse(RejectCode code, String text) {
        refuse(code, text, ReceiptLevel.ACCEPTED);
    }

    /** @param least receipt that a sender must want to be told */
    private void refuse(RejectCode code, String text, ReceiptLevel least) {
        close();
        engine.log().rejected();
        logEnd(State.FAILED, code + ": " + text);
        tellRefused(code, text, least);
        home.ledger().refused(transferId(), alone && group != null);
    }

    boolean isOfGroup() {
        return group != null;
    }

    /** Before it is offered to anybody: others of its group will not come. */
    void goesAlone() {
        alone = true;
    }

    boolean isFrom(PeerLink link) {
        return home.equals(link);
    }

    private void logEnd(State state, @Nullable String error) {
        engine.log()
                .ended(
                        transferId(),
                        Direction.IN,
                        peer(),
                        tensor.name(),
                        tensor.byteLength(),
                        tensor.byteLength(),
                        state,
                        arrivedMillis,
                        System.nanoTime() - arrivedNanos,
                        error,
                        path());
    }

    /** As this node sees it: the sender may have staged what landed directly. */
    private TransferPath path() {
        return zone == null ? TransferPath.NONE : zone.path(landing);
    }

    TransferStatus status() {
        long bytes = tensor.byteLength();
        return new TransferStatus(
                transferId(),
                Direction.IN,
                peer(),
                tensor.name(),
                bytes,
                bytes,
                State.WAITING,
                arrived(),
                null,
                null,
                path());
    }

    @Override
    public String toString() {
        TensorDescriptor what = tensor.descriptor();
        return "ReceivedTensor[" + transferId() + " of '" + peer() + "', '" + what.name() + "', " + what.dataType()
                + ", " + what.shape() + "]";
    }
}

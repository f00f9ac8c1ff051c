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
final class InboundTransfer implements ReceivedTensor, Runnable {

    private static final Logger log = LoggerFactory.getLogger(InboundTransfer.class);

    private final Engine engine;
    private final PeerLink home;
    private final long transferId;
    private final ReceiptLevel wanted;
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

    // How far it is, for the link to answer on. Guarded by this.
    private PeerLink answerTo;
    private boolean accepted;
    private boolean processed;
    private @Nullable RejectCode rejected;
    private String reason = "";

    /** Who has it; set before any answer can be put off. */
    private volatile ListenerRegistry.@Nullable Listener taker;

    /** Of a listener that answers later. */
    private volatile @Nullable DeferredAnswer deferred;

    private boolean answered; // by the listener's return; guarded by this

    // The list of those under way. Guarded by the inbox.
    @Nullable InboundTransfer previous;

    @Nullable InboundTransfer next;

    boolean linked;
    boolean returned; // its thread is done with it

    /** @param address first byte in the zone, 0 for an empty tensor */
    InboundTransfer(Engine engine, PeerLink home, TensorMessage message, @Nullable GrantedZone zone, long address) {
        this.engine = engine;
        this.home = home;
        this.answerTo = home;
        this.transferId = message.transferId();
        this.wanted = message.wanted();
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
    public long transferId() {
        return transferId;
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
        if (!checksummed && !copied) {
            accept();
        }
    }

    private synchronized void accept() {
        if (accepted) {
            return;
        }
        accepted = true;
        if (wanted.compareTo(ReceiptLevel.ACCEPTED) >= 0) {
            answerTo.sender().answers().answer(transferId, ReceiptLevel.ACCEPTED);
        }
    }

    /** The same transfer came again, over another link: answers go there from now on. */
    synchronized void answerTo(PeerLink link) {
        answerTo = link;
        if (wanted == ReceiptLevel.PLACED) {
            return;
        }
        RejectCode code = rejected;
        if (code != null) {
            link.sender().answers().refuse(transferId, code, reason);
        } else if (processed) {
            link.sender().answers().answer(transferId, wanted);
        } else if (accepted) {
            link.sender().answers().answer(transferId, ReceiptLevel.ACCEPTED);
        }
    }

    /** On a listener thread. */
    @Override
    public void run() {
        if (!arrive()) {
            return;
        }
        // Here too: a thread may come before whoever gave it a place in the queue has said so.
        accept();
        deliver();
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
        home.ledger().ended(transferId, SenderLedger.Processed.INSTANCE);
        logEnd(State.DONE, null);
        synchronized (this) {
            processed = true;
            if (wanted == ReceiptLevel.PROCESSED) {
                answerTo.sender().answers().answer(transferId, ReceiptLevel.PROCESSED);
            }
        }
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
        home.ledger().ended(transferId, new SenderLedger.Failed(text));
        engine.log().listenerFailed();
        logEnd(State.FAILED, text);
        synchronized (this) {
            if (wanted == ReceiptLevel.PROCESSED) {
                rejected = RejectCode.LISTENER_FAILED;
                reason = text;
                answerTo.sender().answers().refuse(transferId, RejectCode.LISTENER_FAILED, text);
            }
        }
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
        synchronized (this) {
            rejected = code;
            reason = text;
            if (wanted.compareTo(least) >= 0) {
                answerTo.sender().answers().refuse(transferId, code, text);
            }
        }
        home.ledger().refused(transferId);
    }

    boolean isFrom(PeerLink link) {
        return home.equals(link);
    }

    ReceiptLevel wanted() {
        return wanted;
    }

    private void logEnd(State state, @Nullable String error) {
        engine.log()
                .ended(
                        transferId,
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
                transferId,
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
        return "ReceivedTensor[" + transferId + " of '" + peer() + "', '" + what.name() + "', " + what.dataType() + ", "
                + what.shape() + "]";
    }
}

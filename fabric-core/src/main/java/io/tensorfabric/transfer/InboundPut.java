package io.tensorfabric.transfer;

import io.tensorfabric.connection.RegionRequest;
import io.tensorfabric.transfer.TransferStatus.Direction;
import io.tensorfabric.transfer.TransferStatus.State;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a peer has put into a published tensor, from its message to the end of the listener. */
final class InboundPut {

    private static final Logger log = LoggerFactory.getLogger(InboundPut.class);

    private final Engine engine;
    private final PeerLink link;
    private final PublishedRegion region;
    private final PutMessage message;
    private final long arrivedMillis = System.currentTimeMillis();
    private final long arrivedNanos = System.nanoTime();

    InboundPut(Engine engine, PeerLink link, PublishedRegion region, PutMessage message) {
        this.engine = engine;
        this.link = link;
        this.region = region;
        this.message = message;
    }

    PeerLink link() {
        return link;
    }

    /** On a thread that may block: checks, answers, and tells the listener. */
    void run(@Nullable PutListener listener) {
        if (message.checksummed()) {
            Integer own = region.checksum(new RegionRequest.Part(message.offset(), message.length()));
            if (own == null) {
                refuse(RejectCode.REFUSED, "the tensor is published no more");
                return;
            }
            if (own != message.checksum()) {
                refuse(RejectCode.CHECKSUM, "the bytes in place are not those that were sent");
                return;
            }
        }
        if (message.wanted().compareTo(ReceiptLevel.ACCEPTED) >= 0) {
            link.sender().answers().answer(message.transferId(), ReceiptLevel.ACCEPTED);
        }
        try {
            if (listener != null) {
                listener.written(new PutEvent(
                        region.name(),
                        link.peerName(),
                        link.nodeId(),
                        message.transferId(),
                        message.offset(),
                        message.length()));
            }
            processed();
        } catch (Throwable e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            failed(e);
        }
    }

    private void processed() {
        logEnd(State.DONE, null);
        if (message.wanted() == ReceiptLevel.PROCESSED) {
            link.sender().answers().answer(message.transferId(), ReceiptLevel.PROCESSED);
        }
    }

    private void failed(Throwable problem) {
        log.warn(
                "The listener of published tensor '{}' failed on a put of peer '{}'",
                region.name(),
                link.peerName(),
                problem);
        String text = problem.getClass().getSimpleName() + ": " + problem.getMessage();
        engine.log().listenerFailed();
        logEnd(State.FAILED, text);
        if (message.wanted() == ReceiptLevel.PROCESSED) {
            link.sender().answers().refuse(message.transferId(), RejectCode.LISTENER_FAILED, text);
        }
    }

    /** The listener does not hear of it; the bytes are where they are. */
    void refuse(RejectCode code, String text) {
        engine.log().rejected();
        logEnd(State.FAILED, code + ": " + text);
        if (message.wanted().compareTo(ReceiptLevel.ACCEPTED) >= 0) {
            link.sender().answers().refuse(message.transferId(), code, text);
        }
    }

    private void logEnd(State state, @Nullable String error) {
        engine.log()
                .ended(
                        message.transferId(),
                        Direction.IN,
                        link.peerName(),
                        region.name(),
                        message.length(),
                        message.length(),
                        state,
                        arrivedMillis,
                        System.nanoTime() - arrivedNanos,
                        error,
                        message.length() == 0 ? TransferPath.NONE : TransferPath.HOST);
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionState;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What transfers keep for a connection, until it is down. Thread-safe. */
final class PeerLink {

    private static final Logger log = LoggerFactory.getLogger(PeerLink.class);

    private final Connection connection;
    private final String peerName;
    private final String nodeId;
    private final SenderLedger ledger;
    private final LinkSender sender;
    private final LinkReceiver receiver;
    private final AnswerIntake intake;
    private final GrantedRegions regions;
    private volatile boolean up;

    PeerLink(Engine engine, Connection connection) {
        this.connection = connection;
        this.peerName = connection.peerName();
        this.nodeId = connection.peer().nodeId();
        this.ledger = engine.ledgers().of(connection.peer());
        this.sender = new LinkSender(engine, connection);
        this.receiver = new LinkReceiver(engine, this, connection);
        this.intake = sender.intake(this);
        this.regions = new GrantedRegions(engine, this, connection);
    }

    String peerName() {
        return peerName;
    }

    String nodeId() {
        return nodeId;
    }

    SenderLedger ledger() {
        return ledger;
    }

    LinkSender sender() {
        return sender;
    }

    LinkReceiver receiver() {
        return receiver;
    }

    /** Access of the peer to what this node publishes. */
    GrantedRegions regions() {
        return regions;
    }

    /** Whether new pushes may go here. */
    boolean isUp() {
        return up && connection.state() == ConnectionState.UP;
    }

    void up() {
        up = true;
        sender.up();
    }

    /** A message came; on a poller thread. */
    void received(int type, ByteBuffer body) {
        try {
            switch (type) {
                case TransferMessages.TENSOR -> receiver.tensor(body);
                case TransferMessages.ANSWERS -> intake.take(body);
                case TransferMessages.PUT -> regions.put(body);
                default -> throw new ProtocolViolation("a message has the unknown type " + type);
            }
        } catch (ProtocolViolation e) {
            violated(e);
        }
    }

    void violated(ProtocolViolation violation) {
        log.warn(
                "Peer '{}' breaks the protocol of transfers, its connection is closed: {}",
                peerName,
                violation.getMessage());
        String message = "Peer '" + peerName + "' breaks the protocol of transfers: " + violation.getMessage()
                + ". Both ends must run compatible versions";
        connection.fail(
                new ConnectionException(ConnectionException.Kind.MALFORMED, peerName, message, null, violation));
    }

    /** The connection ends in order: what either end has open of the other's memory is closed. */
    void closing() {
        receiver.closing();
        sender.ipc().closing();
    }

    boolean isBusy() {
        return sender.isBusy() || receiver.awaitsPeer();
    }

    /** Fails or retries what was under way, and gives memory back. */
    void down() {
        up = false;
        ConnectionException failure = connection.failure();
        ConnectionException cause = failure != null
                ? failure
                : new ConnectionException(
                        ConnectionException.Kind.LOST,
                        peerName,
                        "The connection to peer '" + peerName + "' was closed");
        for (Push push : sender.down()) {
            if (push.link == null) {
                push.attemptFailed(cause);
            } else {
                log.error("{} is still with the device after the end of its connection", push);
                push.fail(PushFailures.lost(push, cause));
            }
        }
        receiver.down();
        regions.down();
    }

    /** The peer has closed a zone that this node granted, or is done with a published tensor. */
    void retired(int zoneId) {
        if (!regions.retired(zoneId)) {
            receiver.retired(zoneId);
        }
    }

    @Override
    public String toString() {
        return "PeerLink[" + peerName + ", " + (up ? "up]" : "not up]");
    }
}

package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairAttributes;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handle of a queue pair. */
final class SoftQueuePair extends SoftResource implements QueuePair {

    private final Engine engine;

    private final Pair pair;

    private final QueuePairCapabilities capabilities;

    private final PostValidator validator;

    private final boolean shared;

    /** Keeps what the queue pair uses reachable. */
    @SuppressWarnings("UnusedVariable")
    private final QueuePairOptions options;

    @SuppressWarnings("UnusedVariable")
    private final SoftProtectionDomain domain;

    private SoftQueuePair(
            Lifecycle lifecycle,
            SoftProtectionDomain domain,
            QueuePairOptions options,
            QueuePairCapabilities capabilities,
            Pair pair) {
        super(lifecycle);
        this.domain = domain;
        this.engine = domain.engine();
        this.options = options;
        this.pair = pair;
        this.capabilities = capabilities;
        this.validator = new PostValidator(pair, capabilities);
        this.shared = options.sharedReceiveQueue() != null;
        pair.handle(this);
    }

    static SoftQueuePair create(
            SoftProtectionDomain domain, QueuePairOptions options, QueuePairCapabilities capabilities) {
        List<Lifecycle> parents = new ArrayList<>();
        parents.add(domain.lifecycle());
        SoftCompletionQueue sendQueue = own(options.sendQueue());
        SoftCompletionQueue receiveQueue = own(options.receiveQueue());
        parents.add(sendQueue.lifecycle());
        parents.add(receiveQueue.lifecycle());
        SoftSharedReceiveQueue sharedQueue = (SoftSharedReceiveQueue) options.sharedReceiveQueue();
        if (sharedQueue != null) {
            parents.add(sharedQueue.lifecycle());
        }
        ReceiveRing receives = sharedQueue != null
                ? sharedQueue.ring()
                : new ReceiveRing(
                        capabilities.maxReceiveRequests(), capabilities.maxReceiveElements(), "ibv_post_recv");
        Engine engine = domain.engine();
        Pair pair = engine.addPair(new Pair.Parts(
                domain.identity(),
                sendQueue.ring(),
                receiveQueue.ring(),
                receives,
                sharedQueue != null,
                capabilities.maxSendRequests(),
                capabilities.maxInlineData(),
                options.signalAll()));
        try {
            Lifecycle lifecycle =
                    new Lifecycle("queue pair " + pair.number(), "ibv_destroy_qp", parents.toArray(Lifecycle[]::new));
            return new SoftQueuePair(lifecycle, domain, options, capabilities, pair);
        } catch (RuntimeException ex) {
            engine.removePair(pair);
            pair.destroy();
            throw ex;
        }
    }

    private static SoftCompletionQueue own(CompletionQueue queue) {
        return (SoftCompletionQueue) queue;
    }

    @Override
    public int number() {
        return pair.number();
    }

    @Override
    public QueuePairState state() {
        checkOpen();
        return pair.state();
    }

    @Override
    public QueuePairCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public QueuePairAttributes query() {
        checkOpen();
        engine.faults().checkCall("ibv_query_qp");
        return pair.config().attributes();
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        checkOpen();
        pair.modify(attributes);
    }

    @Override
    public int postSend(SendRequests requests) {
        checkOpen();
        engine.faults().checkCall("ibv_post_send");
        pair.sendLock().lock();
        try {
            checkSendState();
            return pair.requester().post(requests, validator);
        } finally {
            pair.sendLock().unlock();
        }
    }

    private void checkSendState() {
        // Closing takes the same lock: an open check made before it does not count.
        checkOpen();
        switch (pair.state()) {
            case RESET, INIT, RTR ->
                throw new VerbsException(
                        "ibv_post_send",
                        Errno.EINVAL,
                        this + " is in state " + pair.state() + ", and sends can be posted from RTS on");
            default -> {}
        }
    }

    @Override
    public int postReceive(ReceiveRequests requests) {
        checkOpen();
        engine.faults().checkCall("ibv_post_recv");
        if (shared) {
            throw new VerbsException(
                    "ibv_post_recv", Errno.EINVAL, this + " uses a shared receive queue: post to that one");
        }
        if (pair.state() == QueuePairState.RESET) {
            throw new VerbsException(
                    "ibv_post_recv",
                    Errno.EINVAL,
                    this + " is in state RESET, and receives can be posted from INIT on");
        }
        return pair.receives().post(requests);
    }

    @Override
    public @Nullable String providerAddress() {
        checkOpen();
        return pair.address(engine.endpoint());
    }

    @Override
    void destroy() {
        engine.faults().checkCall("ibv_destroy_qp");
        engine.removePair(pair);
        pair.destroy();
        engine.events().forget(this);
        engine.pairQuota().give();
    }
}

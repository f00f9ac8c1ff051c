package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.awaitility.Awaitility;

/**
 * A queue pair of a test with its flyweights: posts requests in one line and waits for completions. Not thread-safe; the
 * queue pair itself is.
 */
final class Endpoint implements AutoCloseable {

    private static final int LIST = 512;

    private final VerbsContractTest subject;
    private final Node node;
    private final QueuePairOptions options;
    private final QueuePair queuePair;
    private final SendRequests sends = SendRequests.allocate(LIST);
    private final ReceiveRequests receives = ReceiveRequests.allocate(LIST);
    private final Poller sendPoller;
    private final Poller receivePoller;

    Endpoint(VerbsContractTest subject, Node node, QueuePairOptions options) {
        this.subject = subject;
        this.node = node;
        this.options = options;
        this.sendPoller = new Poller(options.sendQueue(), subject.patience());
        this.receivePoller = new Poller(options.receiveQueue(), subject.patience());
        try {
            this.queuePair = node.domain().createQueuePair(options);
        } catch (RuntimeException ex) {
            closeLists();
            throw ex;
        }
    }

    Node node() {
        return node;
    }

    QueuePairOptions options() {
        return options;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    int number() {
        return queuePair.number();
    }

    /** Posts what the consumer fills in; returns how many were taken. */
    int post(Consumer<SendRequests> requests) {
        sends.clear();
        requests.accept(sends);
        return queuePair.postSend(sends);
    }

    /** Posts one request that must be taken. */
    private void postOne(Consumer<SendRequests> request) {
        assertThat(post(request)).as("requests taken").isEqualTo(1);
    }

    void write(long id, Slice from, Slice to) {
        write(id, from, to, SendFlag.SIGNALED);
    }

    void write(long id, Slice from, Slice to, int flags) {
        postOne(list -> addWrite(list, id, from, to, flags));
    }

    static void addWrite(SendRequests list, long id, Slice from, Slice to, int flags) {
        list.add(id, Opcode.RDMA_WRITE)
                .flags(flags)
                .remote(to.address(), to.rkey())
                .local(from.address(), from.length(), from.lkey());
    }

    void writeWithImmediate(long id, Slice from, Slice to, int immediate) {
        postOne(list -> list.add(id, Opcode.RDMA_WRITE_WITH_IMM)
                .flags(SendFlag.SIGNALED)
                .immediate(immediate)
                .remote(to.address(), to.rkey())
                .local(from.address(), from.length(), from.lkey()));
    }

    void send(long id, Slice from) {
        send(id, from, SendFlag.SIGNALED);
    }

    void send(long id, Slice from, int flags) {
        postOne(list -> addSend(list, id, from, flags));
    }

    static void addSend(SendRequests list, long id, Slice from, int flags) {
        list.add(id, Opcode.SEND).flags(flags).local(from.address(), from.length(), from.lkey());
    }

    void sendWithImmediate(long id, Slice from, int immediate) {
        postOne(list -> list.add(id, Opcode.SEND_WITH_IMM)
                .flags(SendFlag.SIGNALED)
                .immediate(immediate)
                .local(from.address(), from.length(), from.lkey()));
    }

    void read(long id, Slice into, Slice from) {
        postOne(list -> addRead(list, id, into, from, SendFlag.SIGNALED));
    }

    static void addRead(SendRequests list, long id, Slice into, Slice from, int flags) {
        list.add(id, Opcode.RDMA_READ)
                .flags(flags)
                .remote(from.address(), from.rkey())
                .local(into.address(), into.length(), into.lkey());
    }

    /** Posts receives that the consumer fills in; returns how many were taken. */
    int postReceives(Consumer<ReceiveRequests> requests) {
        receives.clear();
        requests.accept(receives);
        SharedReceiveQueue shared = options.sharedReceiveQueue();
        return shared == null ? queuePair.postReceive(receives) : shared.post(receives);
    }

    /** Posts one receive with one element for each slice. */
    void receive(long id, Slice... into) {
        int taken = postReceives(list -> {
            list.add(id);
            for (Slice slice : into) {
                list.local(slice.address(), slice.length(), slice.lkey());
            }
        });
        assertThat(taken).as("receives taken").isEqualTo(1);
    }

    /** Posts receives with the ids from first on, all into one slice. */
    void receives(long first, int count, Slice into) {
        int taken = postReceives(list -> {
            for (int i = 0; i < count; i++) {
                list.add(first + i).local(into.address(), into.length(), into.lkey());
            }
        });
        assertThat(taken).as("receives taken").isEqualTo(count);
    }

    Completion awaitSend() {
        return awaitSends(1).get(0);
    }

    List<Completion> awaitSends(int count) {
        return sendPoller.await(count);
    }

    Completion awaitReceive() {
        return awaitReceives(1).get(0);
    }

    List<Completion> awaitReceives(int count) {
        return receivePoller.await(count);
    }

    /** Waits for the next send completion, which must be a success of this request. */
    Completion awaitSent(long id) {
        Completion completion = awaitSend();
        assertThat(completion.status()).as("status of request %d", id).isEqualTo(WorkCompletionStatus.SUCCESS);
        assertThat(completion.id()).isEqualTo(id);
        assertThat(completion.queuePairNumber()).isEqualTo(number());
        return completion;
    }

    /** Waits for the next receive completion, which must be a success of this receive. */
    Completion awaitReceived(long id) {
        Completion completion = awaitReceive();
        assertThat(completion.status()).as("status of receive %d", id).isEqualTo(WorkCompletionStatus.SUCCESS);
        assertThat(completion.id()).isEqualTo(id);
        assertThat(completion.queuePairNumber()).isEqualTo(number());
        return completion;
    }

    /** Waits for the next send completion, which must be of this request with one of these statuses. */
    void awaitFailure(long id, WorkCompletionStatus... statuses) {
        Completion completion = awaitSend();
        assertThat(completion.id()).isEqualTo(id);
        assertThat(completion.status()).isIn((Object[]) statuses);
        assertThat(completion.queuePairNumber()).isEqualTo(number());
    }

    /** Watches for the quiet time that neither queue has completions. */
    void assertQuiet() {
        assertThat(drain(subject.quiet())).as("completions where none may come").isEmpty();
    }

    private List<Completion> drain(Duration time) {
        List<Completion> seen = new ArrayList<>();
        long end = System.nanoTime() + time.toNanos();
        int before;
        // On a busy machine the time may be over before the first look: whatever is there is taken off.
        do {
            before = seen.size();
            seen.addAll(sendPoller.poll());
            seen.addAll(receivePoller.poll());
            Thread.onSpinWait();
        } while (seen.size() > before || System.nanoTime() < end);
        return seen;
    }

    QueuePairState state() {
        return queuePair.state();
    }

    /** Waits for a state that the device reaches by itself. */
    void awaitState(QueuePairState state) {
        Awaitility.await()
                .atMost(subject.patience())
                .pollInterval(Duration.ofMillis(1))
                .pollInSameThread()
                .untilAsserted(() -> assertThat(state()).isEqualTo(state));
    }

    void to(QueuePairState state) {
        queuePair.modify(QueuePairAttributes.to(state).build());
    }

    private void closeLists() {
        sends.close();
        receives.close();
        sendPoller.close();
        receivePoller.close();
    }

    @Override
    public void close() {
        queuePair.close();
        closeLists();
    }
}

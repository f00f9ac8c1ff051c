package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorfabric.offheap.OffHeap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Closing: order, twice, use after it. */
abstract class LifecycleContract extends ContractGroup {

    private static final int CLOSERS = 8;

    LifecycleContract(VerbsContractTest subject) {
        super(subject);
    }

    /** Closing an owner is refused, names what is open, and works once that is closed. */
    private static void assertBusyUntilClosed(VerbsResource owner, String named, VerbsResource... dependents) {
        VerbsException failure = assertFails(Errno.EBUSY, owner::close);
        assertThat(failure.getMessage()).containsIgnoringCase(named);
        assertThat(owner.isClosed()).isFalse();
        for (VerbsResource dependent : dependents) {
            assertThat(dependent.isClosed()).isFalse();
            dependent.close();
            assertThat(dependent.isClosed()).isTrue();
        }
        owner.close();
        assertThat(owner.isClosed()).isTrue();
    }

    @Test
    void whenProtectionDomainHasRegionsThenClosingIsRefusedUntilTheyAreClosed() {
        ProtectionDomain domain = left.anotherDomain();
        Buffer first = left.buffer(domain, 4096, AccessFlag.LOCAL_WRITE);
        Buffer second = left.buffer(domain, 4096, AccessFlag.LOCAL_WRITE);
        assertBusyUntilClosed(domain, "memory region", first.region(), second.region());
    }

    @Test
    void whenProtectionDomainHasAQueuePairThenClosingIsRefusedUntilItIsClosed() {
        ProtectionDomain domain = left.anotherDomain();
        CompletionQueue queue = left.completionQueue(16);
        QueuePair queuePair =
                left.closing(domain.createQueuePair(QueuePairOptions.reliableConnected(queue, Node.CAPABILITIES)));
        assertBusyUntilClosed(domain, "queue pair", queuePair);
    }

    @Test
    void whenProtectionDomainHasAWindowThenClosingIsRefusedUntilItIsClosed() {
        ProtectionDomain domain = left.anotherDomain();
        MemoryWindow window = left.closing(domain.allocateMemoryWindow());
        assertBusyUntilClosed(domain, "memory window", window);
    }

    @Test
    void whenProtectionDomainHasASharedReceiveQueueThenClosingIsRefusedUntilItIsClosed() {
        ProtectionDomain domain = left.anotherDomain();
        SharedReceiveQueue shared = left.closing(domain.createSharedReceiveQueue(16, 1));
        assertBusyUntilClosed(domain, "shared receive queue", shared);
    }

    @Test
    void whenCompletionQueueHasAQueuePairThenClosingIsRefusedUntilItIsClosed() {
        CompletionQueue sends = left.completionQueue(16);
        CompletionQueue receives = left.completionQueue(16);
        Endpoint endpoint = left.endpoint(sends, receives);
        assertFails(Errno.EBUSY, receives::close);
        assertBusyUntilClosed(sends, "queue pair", endpoint.queuePair());
        receives.close();
    }

    @Test
    void whenSharedReceiveQueueHasAQueuePairThenClosingIsRefusedUntilItIsClosed() {
        SharedReceiveQueue shared = left.sharedReceiveQueue(16);
        Endpoint endpoint = left.endpoint(shared);
        assertBusyUntilClosed(shared, "queue pair", endpoint.queuePair());
    }

    @Test
    void whenChannelHasACompletionQueueThenClosingIsRefusedUntilItIsClosed() {
        CompletionChannel channel = left.channel();
        CompletionQueue queue = left.completionQueue(16, channel);
        assertBusyUntilClosed(channel, "completion queue", queue);
    }

    @Test
    void whenResourcesAreClosedTwiceThenTheSecondTimeIsHarmless() {
        Endpoint endpoint = left.endpoint();
        List<VerbsResource> resources = List.of(
                endpoint.queuePair(),
                endpoint.options().sendQueue(),
                left.buffer(64).region(),
                left.closing(left.domain().allocateMemoryWindow()),
                left.sharedReceiveQueue(8),
                left.channel(),
                left.anotherDomain());
        for (VerbsResource resource : resources) {
            assertThat(resource.isClosed()).isFalse();
            resource.close();
            assertThat(resource.isClosed()).isTrue();
            resource.close();
            assertThat(resource.isClosed()).isTrue();
        }
    }

    @Test
    void whenQueuePairWasClosedThenUseThrowsIllegalState() {
        Endpoint endpoint = left.endpoint();
        Buffer buffer = left.buffer(64);
        endpoint.queuePair().close();
        assertThatIllegalStateException().isThrownBy(endpoint::state);
        assertThatIllegalStateException().isThrownBy(() -> endpoint.queuePair().query());
        assertThatIllegalStateException().isThrownBy(() -> endpoint.to(QueuePairState.RESET));
        assertThatIllegalStateException().isThrownBy(() -> endpoint.send(1, buffer.all()));
        assertThatIllegalStateException().isThrownBy(() -> endpoint.receive(1, buffer.all()));
    }

    @Test
    void whenOtherResourcesWereClosedThenUseThrowsIllegalState() {
        CompletionChannel channel = left.channel();
        CompletionQueue queue = left.completionQueue(8, channel);
        SharedReceiveQueue shared = left.sharedReceiveQueue(8);
        ProtectionDomain domain = left.anotherDomain();
        Buffer buffer = left.buffer(64);
        queue.close();
        channel.close();
        shared.close();
        domain.close();
        try (WorkCompletions completions = WorkCompletions.allocate(1);
                ReceiveRequests receives = ReceiveRequests.allocate(1)) {
            receives.add(1);
            List<ThrowingCallable> uses = List.of(
                    () -> queue.poll(completions),
                    () -> queue.requestNotification(false),
                    () -> shared.post(receives),
                    () -> shared.armLimit(1),
                    () -> domain.registerMemory(buffer.address(), 64, Set.of()),
                    domain::allocateMemoryWindow,
                    () -> domain.createSharedReceiveQueue(1, 1),
                    () -> left.context().createCompletionQueue(8, channel));
            for (ThrowingCallable use : uses) {
                assertThatIllegalStateException().isThrownBy(use);
            }
        }
    }

    @Test
    void whenQueuePairIsMadeOnAClosedCompletionQueueThenIllegalState() {
        CompletionQueue queue = left.completionQueue(8);
        queue.close();
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        left.domain().createQueuePair(QueuePairOptions.reliableConnected(queue, Node.CAPABILITIES)));
    }

    @Test
    void whenAwaitOnAClosedChannelThenItEndsAtOnce() {
        CompletionChannel channel = left.channel();
        channel.close();
        long start = System.nanoTime();
        try {
            assertThat(channel.await(subject.patience())).isNull();
        } catch (IllegalStateException ex) {
            assertThat(channel.isClosed()).isTrue();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(subject.patience());
    }

    @Test
    void whenConnectedQueuePairIsClosedWithWorkOutstandingThenEverythingCanBeClosed() {
        Link link = link(new Connection().rnrRetry(7));
        Buffer source = left.buffer(4096);
        for (int i = 0; i < 8; i++) {
            link.a().send(i, source.all());
            link.a().receive(100 + i, source.all());
        }
        link.a().queuePair().close();
        source.region().close();
        link.b().queuePair().close();
        link.a().options().sendQueue().close();
        link.b().options().sendQueue().close();
    }

    @Test
    void whenManyThreadsCloseADeviceAndAllThatIsOpenInAnyOrderThenEachIsClosedOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLOSERS);
        try {
            for (int round = 0; round < subject.closingRounds(); round++) {
                // Closing the pair finds native memory that is left; a second free would end the JVM.
                try (VerbsPair pair = new VerbsPair(subject)) {
                    closeByMany(threads, everything(pair.left()), round);
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<VerbsResource> everything(Node node) {
        Endpoint endpoint = node.endpoint();
        return List.of(
                node.context(),
                node.domain(),
                endpoint.options().sendQueue(),
                endpoint.options().receiveQueue(),
                endpoint.queuePair(),
                node.buffer(4096).region(),
                node.closing(node.domain().allocateMemoryWindow()),
                node.sharedReceiveQueue(8),
                node.channel());
    }

    private static void closeByMany(ExecutorService threads, List<VerbsResource> resources, int round)
            throws Exception {
        CyclicBarrier start = new CyclicBarrier(CLOSERS);
        List<Future<?>> closing = new ArrayList<>();
        for (int i = 0; i < CLOSERS; i++) {
            List<VerbsResource> shuffled = new ArrayList<>(resources);
            Collections.shuffle(shuffled, new Random(round * CLOSERS + i));
            closing.add(threads.submit(() -> {
                start.await(10, TimeUnit.SECONDS);
                while (shuffled.stream().anyMatch(resource -> !resource.isClosed())) {
                    shuffled.forEach(LifecycleContract::closeUnlessBusy);
                }
                return null;
            }));
        }
        for (Future<?> each : closing) {
            each.get(30, TimeUnit.SECONDS);
        }
        assertThat(resources).allMatch(VerbsResource::isClosed);
    }

    private static void closeUnlessBusy(VerbsResource resource) {
        try {
            resource.close();
        } catch (VerbsException ex) {
            assertThat(ex.errno()).isEqualTo(Errno.EBUSY);
        }
    }

    @Test
    void whenARoundOfEverythingIsRepeatedThenNoNativeMemoryIsLost() {
        round();
        long before = OffHeap.allocatedBytes();
        for (int i = 0; i < 10; i++) {
            round();
        }
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
    }

    private void round() {
        try (VerbsPair pair = new VerbsPair(subject)) {
            Link link =
                    link(new Connection(), pair.left().endpoint(), pair.right().endpoint());
            Buffer source = pair.left().buffer(100).fill(1);
            Buffer target = pair.right().buffer(100);
            link.a().write(1, source.all(), target.all());
            link.a().awaitSent(1);
            assertThat(target.bytes()).isEqualTo(source.bytes());
        }
    }
}

package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several threads on one object. */
abstract class ConcurrencyContract extends ContractGroup {

    private static final int THREADS = 8;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    ConcurrencyContract(VerbsContractTest subject) {
        super(subject);
    }

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @FunctionalInterface
    private interface Work {
        void run(int thread) throws Exception;
    }

    /** Runs work on all threads, which start together, and waits for their end. */
    private void together(Work work) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            Callable<Void> task = () -> {
                start.await();
                work.run(thread);
                return null;
            };
            running.add(threads.submit(task));
        }
        start.countDown();
        for (Future<?> each : running) {
            each.get(2 * subject.patience().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void whenEightThreadsPostOnOneQueuePairThenEachRequestCompletesOnce() throws Exception {
        Link link = link();
        int each = 250;
        Buffer source = left.buffer(THREADS * each * 8).fill(1);
        Buffer target = right.buffer(THREADS * each * 8);
        Set<Long> ids = ConcurrentHashMap.newKeySet();
        AtomicInteger completed = new AtomicInteger();
        // A slow poller must not make the completion queue overrun.
        Semaphore room = new Semaphore(Node.CQ_ENTRIES / 2);
        Future<?> poller = CompletableFuture.runAsync(() -> {
            while (completed.get() < THREADS * each) {
                for (Completion completion : link.a().awaitSends(1)) {
                    assertThat(completion.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
                    assertThat(ids.add(completion.id())).isTrue();
                    completed.incrementAndGet();
                    room.release();
                }
            }
        });
        together(thread -> {
            try (SendRequests list = SendRequests.allocate(1)) {
                for (int i = 0; i < each; i++) {
                    int index = thread * each + i;
                    list.clear();
                    Slice to = target.slice(index * 8, 8);
                    Endpoint.addWrite(list, index, source.slice(index * 8, 8), to, SendFlag.SIGNALED);
                    assertThat(room.tryAcquire(subject.patience().toMillis(), TimeUnit.MILLISECONDS))
                            .isTrue();
                    postOrWait(link.a().queuePair(), list);
                }
            }
        });
        poller.get(subject.patience().toMillis(), TimeUnit.MILLISECONDS);
        assertThat(ids).hasSize(THREADS * each);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    private void postOrWait(QueuePair queuePair, SendRequests list) {
        long end = System.nanoTime() + subject.patience().toNanos();
        while (queuePair.postSend(list) == 0) {
            assertThat(System.nanoTime()).as("the send queue stays full").isLessThan(end);
            Thread.yield();
        }
    }

    @Test
    void whenEightThreadsPollOneQueueThenEachCompletionIsSeenOnce() throws Exception {
        Link link = link();
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        for (int i = 0; i < 120; i++) {
            link.a().write(i, source.all(), target.all());
        }
        Set<Long> ids = ConcurrentHashMap.newKeySet();
        AtomicInteger seen = new AtomicInteger();
        long end = System.nanoTime() + subject.patience().toNanos();
        together(thread -> {
            try (WorkCompletions completions = WorkCompletions.allocate(3)) {
                while (seen.get() < 120 && System.nanoTime() < end) {
                    int count = link.a().options().sendQueue().poll(completions);
                    for (int i = 0; i < count; i++) {
                        ids.add(completions.id(i));
                    }
                    seen.addAndGet(count);
                }
            }
        });
        assertThat(seen).hasValue(120);
        assertThat(ids).hasSize(120);
    }

    @Test
    void whenEightThreadsPostReceivesThenEachIsUsedOnce() throws Exception {
        Link link = link();
        Buffer target = right.buffer(64);
        together(thread -> {
            try (ReceiveRequests list = ReceiveRequests.allocate(1)) {
                for (int i = 0; i < 15; i++) {
                    list.clear();
                    list.add(thread * 15L + i)
                            .local(target.address(), 64, target.region().lkey());
                    assertThat(link.b().queuePair().postReceive(list)).isEqualTo(1);
                }
            }
        });
        Buffer source = left.buffer(64);
        for (int i = 0; i < THREADS * 15; i++) {
            link.a().send(i, source.all());
        }
        link.a().awaitSends(THREADS * 15);
        assertThat(link.b().awaitReceives(THREADS * 15))
                .extracting(Completion::id)
                .doesNotHaveDuplicates();
    }

    @Test
    void whenEightThreadsCloseTheSameObjectsThenEachIsClosedOnce() throws Exception {
        for (int round = 0; round < 50; round++) {
            ProtectionDomain domain = left.anotherDomain();
            Buffer closed = left.buffer(domain, 64, AccessFlag.LOCAL_WRITE);
            Buffer kept = left.buffer(domain, 64, AccessFlag.LOCAL_WRITE);
            MemoryWindow window = left.closing(domain.allocateMemoryWindow());
            CompletionQueue queue = left.completionQueue(4);
            QueuePair queuePair = left.closing(domain.createQueuePair(
                    QueuePairOptions.reliableConnected(queue, new QueuePairCapabilities(4, 4, 1, 1, 0))));
            List<VerbsResource> victims = List.of(closed.region(), window, queuePair);
            together(thread -> {
                for (int i = 0; i < victims.size(); i++) {
                    victims.get((i + thread) % victims.size()).close();
                }
            });
            assertThat(victims).allMatch(VerbsResource::isClosed);
            // Had a region been counted down twice, the domain would take the one that is kept for closed.
            assertFails(Errno.EBUSY, domain::close);
            kept.region().close();
            queue.close();
            domain.close();
        }
    }

    @Test
    void whenAContextIsClosedByEightThreadsThenItIsClosedOnce() throws Exception {
        for (int round = 0; round < 10; round++) {
            VerbsContext context = subject.openLeft();
            ProtectionDomain domain = context.allocateProtectionDomain();
            together(thread -> {
                domain.close();
                context.close();
            });
            assertThat(context.isClosed()).isTrue();
        }
    }

    @Test
    void whenAQueuePairIsClosedWhileOthersUseItThenTheyGetIllegalState() throws Exception {
        for (int round = 0; round < 20; round++) {
            Link link = link();
            Buffer source = left.buffer(64);
            Buffer target = right.buffer(64);
            together(thread -> {
                if (thread == 0) {
                    link.a().queuePair().close();
                } else {
                    useUntilClosed(link.a().queuePair(), source.all(), target.all());
                }
            });
            assertThat(link.a().queuePair().isClosed()).isTrue();
        }
    }

    private void useUntilClosed(QueuePair queuePair, Slice from, Slice to) {
        long end = System.nanoTime() + subject.patience().toNanos();
        try (SendRequests list = SendRequests.allocate(1)) {
            Endpoint.addWrite(list, 1, from, to, 0);
            while (System.nanoTime() < end) {
                queuePair.state();
                queuePair.postSend(list);
            }
            throw new AssertionError("The queue pair was never closed");
        } catch (IllegalStateException expected) {
            // It is closed, or about to be.
        }
    }

    @Test
    void whenRegionsComeAndGoDuringTrafficThenTheTrafficIsNotHarmed() throws Exception {
        Link link = link();
        Buffer source = left.buffer(4096).fill(1);
        Buffer target = right.buffer(4096);
        together(thread -> {
            if (thread == 0) {
                for (int i = 0; i < 300; i++) {
                    link.a().write(i, source.all(), target.all());
                    link.a().awaitSent(i);
                }
            } else {
                Node node = thread % 2 == 0 ? left : right;
                Buffer memory = thread % 2 == 0 ? source : target;
                for (int i = 0; i < 100; i++) {
                    node.domain()
                            .registerMemory(memory.address(), 4096, Set.of(AccessFlag.LOCAL_WRITE))
                            .close();
                }
            }
        });
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }
}

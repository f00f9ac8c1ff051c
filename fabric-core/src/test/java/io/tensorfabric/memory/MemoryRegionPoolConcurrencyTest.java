package io.tensorfabric.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.offheap.OffHeap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MemoryRegionPoolConcurrencyTest {

    private static final long MIB = 1 << 20;

    private static final Duration LONG = Duration.ofSeconds(30);

    private final FakeDomain domain = new FakeDomain();

    private final FakeMemory memory = new FakeMemory(domain);

    private final MemoryRegionPool pool =
            MemoryRegionPool.create("host", domain, memory, new MemoryPoolOptions(4 * MIB, 4 * MIB, 256, LONG), false);

    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    @Test
    void whenNothingComesBackThenTheWaitEndsAtItsDeadline() {
        List<BufferLease> all = fill();
        long start = System.nanoTime();
        assertThatThrownBy(() -> pool.acquire(MIB, "fifth", Duration.ofMillis(500)))
                .isInstanceOf(PoolExhaustedException.class)
                .hasMessageContaining("waited 500 ms");
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isBetween(500L, 5000L);
        all.forEach(BufferLease::close);
        assertThat(pool.statistics().free()).isEqualTo(4 * MIB);
        assertThat(pool.statistics().waits()).isEqualTo(1);
        pool.close();
    }

    @Test
    void whenALargeRequestWaitsThenLaterSmallOnesDoNotOvertakeIt() throws Exception {
        List<BufferLease> all = fill();
        ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();
        Future<BufferLease> large = acquireLater(3 * MIB, "large", order, 1);
        Future<BufferLease> small = acquireLater(MIB, "small", order, 2);
        assertThat(pool.tryAcquire(1, "barging")).isNull();

        all.get(0).close();
        assertThat(pool.tryAcquire(MIB, "barging")).isNull();
        assertThat(large).isNotDone();
        assertThat(small).isNotDone();
        all.get(1).close();
        all.get(2).close();
        BufferLease granted = large.get();
        assertThat(small).isNotDone();
        all.get(3).close();
        small.get().close();
        granted.close();
        assertThat(order).containsExactly("large", "small");
        pool.close();
    }

    @Test
    void whenTheFirstInTheQueueGivesUpThenTheNextIsServed() throws Exception {
        List<BufferLease> all = fill();
        CountDownLatch started = new CountDownLatch(1);
        Thread[] waiting = new Thread[1];
        Future<String> interrupted = executor.submit(() -> {
            waiting[0] = Thread.currentThread();
            started.countDown();
            try {
                pool.acquire(4 * MIB, "all").close();
                return "acquired";
            } catch (PoolExhaustedException e) {
                return Thread.interrupted() ? e.getMessage() : "flag lost";
            }
        });
        started.await();
        awaitWaits(1);
        Future<BufferLease> small = acquireLater(MIB, "small", new ConcurrentLinkedQueue<>(), 2);
        all.get(0).close();
        waiting[0].interrupt();
        assertThat(interrupted.get()).contains("the waiting thread was interrupted");
        small.get().close();
        all.forEach(BufferLease::close);
        pool.close();
    }

    @Test
    void whenThePoolIsClosedThenThoseWhoWaitAreTold() throws Exception {
        List<BufferLease> all = fill();
        Future<BufferLease> waiting = acquireLater(MIB, "waiting", new ConcurrentLinkedQueue<>(), 1);
        assertThatThrownBy(() -> pool.close(Duration.ZERO)).isInstanceOf(PoolBusyException.class);
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(IllegalStateException.class);
        all.forEach(BufferLease::close);
        assertThat(memory.live).isEmpty();
    }

    @Test
    void whenALargeRequestWaitsForASlabToBecomeIdleThenItGetsItsRoom() throws Exception {
        MemoryRegionPool two = MemoryRegionPool.create(
                "two", domain, memory, new MemoryPoolOptions(2 * MIB, 4 * MIB, 256, LONG), false);
        BufferLease first = two.acquire(2 * MIB, "first");
        BufferLease second = two.acquire(2 * MIB, "second");
        Future<BufferLease> large = executor.submit(() -> two.acquire(4 * MIB, "large"));
        Awaitility.await().until(() -> two.statistics().waits() == 1);
        first.close();
        assertThat(large).isNotDone();
        second.close();
        large.get().close();
        two.close();
    }

    @Test
    void whileASlabIsRegisteredOthersGoOn() throws Exception {
        MemoryRegionPool two = MemoryRegionPool.create(
                "two", domain, memory, new MemoryPoolOptions(2 * MIB, 4 * MIB, 256, LONG), false);
        BufferLease most = two.acquire(MIB, "most");
        CountDownLatch registering = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        domain.onRegister = () -> {
            registering.countDown();
            awaitLatch(goOn);
        };
        Future<BufferLease> slow = executor.submit(() -> two.acquire(2 * MIB, "slow"));
        registering.await();
        two.acquire(1000, "quick").close();
        most.close();
        goOn.countDown();
        slow.get().close();
        two.close();
    }

    @Test
    void whenThePoolIsClosedWhileASlabIsRegisteredThenTheSlabIsFreedToo() throws Exception {
        CountDownLatch registering = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        domain.onRegister = () -> {
            registering.countDown();
            awaitLatch(goOn);
        };
        Future<BufferLease> slow = executor.submit(() -> pool.acquire(MIB, "slow"));
        registering.await();
        Future<?> closing = executor.submit(() -> pool.close());
        Awaitility.await()
                .untilAsserted(() ->
                        assertThatThrownBy(() -> pool.tryAcquire(1, "late")).isInstanceOf(IllegalStateException.class));
        goOn.countDown();
        assertThatThrownBy(slow::get).hasCauseInstanceOf(IllegalStateException.class);
        closing.get();
        assertThat(memory.live).isEmpty();
        assertThat(domain.live).isEmpty();
    }

    @Test
    void whenEightThreadsLeaseAtRandomThenNoByteHasTwoOwnersAndAllComesBack() throws Exception {
        MemoryRegionPool host = MemoryRegionPool.create(
                "real", domain, new HostMemoryProvider(), new MemoryPoolOptions(MIB, 4 * MIB, 256, LONG), false);
        List<Future<?>> workers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int seed = i;
            workers.add(executor.submit(() -> leaseAtRandom(host, seed)));
        }
        for (Future<?> worker : workers) {
            worker.get();
        }
        MemoryPoolStatistics end = host.statistics();
        assertThat(end.inUse()).isZero();
        assertThat(end.leases()).isZero();
        assertThat(end.free()).isEqualTo(4 * MIB);
        assertThat(end.fragmentation()).isZero();
        host.close();
        assertThat(domain.live).isEmpty();
    }

    private static void leaseAtRandom(MemoryRegionPool pool, int seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 3000; i++) {
            long bytes = random.nextInt(100) == 0 ? 2 * MIB : 8 + random.nextInt(100_000);
            try (BufferLease lease = pool.acquire(bytes, "worker-" + seed)) {
                long mark = seed * 1_000_000L + i;
                OffHeap.putLong(lease.address(), mark);
                OffHeap.putLong(lease.address() + bytes - 8, mark);
                Thread.yield();
                assertThat(OffHeap.getLong(lease.address() + bytes - 8)).isEqualTo(mark);
            }
        }
    }

    @Test
    void when64ThreadsShareFourBuffersThenNoneIsLost() throws Exception {
        AtomicInteger served = new AtomicInteger();
        List<Future<?>> workers = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            int worker = i;
            workers.add(executor.submit(() -> {
                for (int push = 0; push < 10; push++) {
                    try (BufferLease lease = pool.acquire(MIB, "push-" + worker)) {
                        served.incrementAndGet();
                        if (push == worker % 10) {
                            throw new IllegalStateException("failed post " + lease.length());
                        }
                    } catch (IllegalStateException injected) {
                        assertThat(injected).hasMessage("failed post " + MIB);
                    }
                }
            }));
        }
        for (Future<?> worker : workers) {
            worker.get();
        }
        assertThat(served).hasValue(640);
        assertThat(pool.statistics().free()).isEqualTo(4 * MIB);
        assertThat(pool.statistics().failures()).isZero();
        pool.close();
    }

    private List<BufferLease> fill() {
        List<BufferLease> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(pool.acquire(MIB, "filler"));
        }
        return all;
    }

    /** Acquires in another thread; returns when it waits, as the given one of all waits. */
    private Future<BufferLease> acquireLater(long bytes, String holder, ConcurrentLinkedQueue<String> order, int wait) {
        Future<BufferLease> later = executor.submit(() -> {
            BufferLease lease = pool.acquire(bytes, holder);
            order.add(holder);
            return lease;
        });
        awaitWaits(wait);
        return later;
    }

    private void awaitWaits(long waits) {
        Awaitility.await().until(() -> pool.statistics().waits() == waits);
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

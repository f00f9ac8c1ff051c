package io.tensorfabric.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tensorfabric.verbs.Errno;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class MemoryRegionPoolCloseTest {

    private static final long MIB = 1 << 20;

    private final FakeDomain domain = new FakeDomain();

    private final FakeMemory memory = new FakeMemory(domain);

    private final MemoryRegionPool pool = MemoryRegionPool.create(
            "host", domain, memory, new MemoryPoolOptions(MIB, 4 * MIB, 256, Duration.ZERO), false);

    @Test
    void whenLeasesAreOutThenCloseNamesTheirHoldersKeepsTheMemoryAndTheLastLeaseFreesIt() {
        BufferLease lease = pool.acquire(4096, "slow push");
        assertThatThrownBy(() -> pool.close(Duration.ofMillis(10)))
                .isInstanceOfSatisfying(
                        PoolBusyException.class,
                        e -> assertThat(e.holders())
                                .extracting(LeaseHolder::bytes)
                                .containsExactly(4096L))
                .hasMessageContainingAll("Pool 'host'", "'slow push' 4 KiB since");
        assertThat(domain.live).hasSize(1);
        assertThat(pool.regionOf(lease.address(), 4096)).isSameAs(lease.region());
        assertThatThrownBy(() -> pool.acquire(1, "late"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'host' is closed");
        assertThatThrownBy(() -> pool.tryAcquire(1, "late")).isInstanceOf(IllegalStateException.class);

        lease.close();
        assertThat(domain.live).isEmpty();
        assertThat(memory.live).isEmpty();
        pool.close();
        pool.close();
        assertThat(domain.deregistrations).hasValue(1);
    }

    @Test
    void whenCloseWaitsThenItEndsWithTheLastLease() throws Exception {
        BufferLease lease = pool.acquire(4096, "push");
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            Future<?> closing = executor.submit(() -> pool.close(Duration.ofMinutes(1)));
            Awaitility.await()
                    .untilAsserted(() -> assertThatThrownBy(() -> pool.tryAcquire(1, "late"))
                            .isInstanceOf(IllegalStateException.class));
            assertThat(closing).isNotDone();
            lease.close();
            closing.get();
        } finally {
            executor.shutdownNow();
        }
        assertThat(domain.calls).containsExactly("allocate", "register", "deregister", "free");
    }

    @Test
    void whenDeregistrationFailsThenTheErrorSurfacesAndTheMemoryIsKept() {
        pool.acquire(MIB, "a").close();
        domain.failingDeregistrations.set(1);
        assertThatThrownBy(pool::close)
                .isInstanceOfSatisfying(
                        MemoryRegistrationException.class,
                        e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessageContainingAll("ibv_dereg_mr", "1 MiB", "pool 'host'", "the memory stays allocated");
        assertThat(memory.live).hasSize(1);

        pool.close();
        assertThat(memory.live).isEmpty();
    }

    @Test
    void whenAnIdleSlabCannotBeDroppedThenItIsNeverUsedAgainAndTheRestServes() {
        pool.acquire(MIB, "a").close();
        domain.failingDeregistrations.set(1);
        assertThatThrownBy(pool::trim).isInstanceOf(MemoryRegistrationException.class);
        assertThat(pool.statistics().free()).isEqualTo(3 * MIB);
        assertThat(pool.statistics().slabs()).isZero();
        long kept = memory.live.keySet().iterator().next();
        try (BufferLease lease = pool.acquire(3 * MIB, "b")) {
            assertThat(lease.address()).isNotEqualTo(kept);
            assertThat(pool.tryAcquire(1, "c")).isNull();
        }
        domain.failingDeregistrations.set(0);
        pool.close();
        assertThat(memory.live).isEmpty();
    }

    @Test
    void whenALeaseIsDroppedThenTheLogNamesItsHolderAndItsMemoryStaysInUse() {
        Logger logger = (Logger) LoggerFactory.getLogger(MemoryRegionPool.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            assertThat(pool.acquire(4096, "careless").length()).isEqualTo(4096);
            Awaitility.await().untilAsserted(() -> {
                System.gc();
                assertThat(pool.holders()).extracting(LeaseHolder::leaked).containsExactly(true);
            });
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anySatisfy(
                        message -> assertThat(message).contains("'host'", "'careless' 4 KiB", "without being closed"));
        assertThat(pool.statistics().inUse()).isEqualTo(4096);
        assertThatThrownBy(() -> pool.close(Duration.ZERO))
                .isInstanceOf(PoolBusyException.class)
                .hasMessageContaining("(1 never closed)");
        assertThat(domain.live).hasSize(1);
    }

    @Test
    void whenManyThreadsCloseLeasesAndPoolInAnyOrderThenEachIsClosedOnce() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 1000; round++) {
                closeFromEightThreads(executor, round);
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private void closeFromEightThreads(ExecutorService executor, int round) throws Exception {
        FakeDomain ownDomain = new FakeDomain();
        FakeMemory ownMemory = new FakeMemory(ownDomain);
        MemoryRegionPool own = MemoryRegionPool.create("p", ownDomain, ownMemory, pool.options(), false);
        BufferLease first = own.acquire(1000, "first");
        BufferLease second = own.acquire(3 * MIB, "second");
        List<Future<?>> closers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int order = i + round;
            closers.add(executor.submit(() -> {
                (order % 2 == 0 ? first : second).close();
                if (order % 3 == 0) {
                    own.close(Duration.ofSeconds(30));
                }
                (order % 2 == 0 ? second : first).close();
            }));
        }
        for (Future<?> closer : closers) {
            closer.get();
        }
        own.close();
        assertThat(ownDomain.deregistrations).hasValue(2);
        assertThat(ownMemory.live).isEmpty();
    }
}

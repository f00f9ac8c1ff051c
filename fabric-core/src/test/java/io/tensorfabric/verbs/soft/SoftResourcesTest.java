package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.management.ThreadMXBean;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsProvider;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Threads, memory, names. */
@Timeout(60)
class SoftResourcesTest {

    private static final String THREADS = "fabric-soft-";

    private static List<Thread> threads(String device) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(THREADS + device + "-io-"))
                .toList();
    }

    private static VerbsContext open(SoftDeviceOptions options) {
        return new SoftVerbsProvider(options).devices().get(0).open();
    }

    @Test
    void whenServicesAreLoadedThenTheProviderIsThere() {
        List<VerbsProvider> found = ServiceLoader.load(VerbsProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(SoftVerbsProvider.NAME))
                .toList();
        assertThat(found).singleElement().satisfies(provider -> {
            assertThat(provider.isAvailable()).isTrue();
            assertThat(provider.devices())
                    .singleElement()
                    .satisfies(device -> assertThat(device.name()).isEqualTo("soft0"));
        });
    }

    @Test
    void whenTheContextIsClosedThenThreadsEndAndWaitersReturn() throws Exception {
        VerbsContext context = open(SoftDeviceOptions.defaults().withName("ending"));
        assertThat(threads("ending")).isNotEmpty().allMatch(Thread::isDaemon);
        Thread waiter = new Thread(() -> context.awaitAsyncEvent(Duration.ofDays(100_000)));
        waiter.start();
        await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
        context.close();
        waiter.join(2_000);
        assertThat(waiter.isAlive()).isFalse();
        await().atMost(Duration.ofSeconds(2)).until(() -> threads("ending").isEmpty());
    }

    @Test
    void whenEverythingIsClosedThenNoNativeMemoryIsLeft() {
        long before = OffHeap.allocatedBytes();
        End a = new End(SoftDeviceOptions.defaults().withName("a"), 1 << 20);
        End b = new End(SoftDeviceOptions.defaults().withName("b"), 1 << 20);
        End.connect(a, b);
        a.post(1, Opcode.RDMA_WRITE, 0, 1 << 20, b, 0);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        a.close();
        b.close();
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
    }

    @Test
    void whenListeningOnIpv6ThenItWorks() throws Exception {
        SoftDeviceOptions options = SoftDeviceOptions.defaults().withBindAddress(InetAddress.getByName("::1"));
        try (End a = new End(options.withName("a"), 4096);
                End b = new End(options.withName("b"), 4096)) {
            End.connect(a, b);
            assertThat(a.pair.providerAddress()).startsWith("soft:[0:0:0:0:0:0:0:1]:");
            a.post(1, Opcode.RDMA_WRITE, 0, 64, b, 0);
            a.expect(1, WorkCompletionStatus.SUCCESS);
        }
    }

    @Test
    void whenMessagesFlowThenHardlyAnythingIsAllocated() {
        try (End a = new End(SoftDeviceOptions.defaults().withName("lean"), 1 << 20);
                End b = new End(SoftDeviceOptions.defaults().withName("lean"), 1 << 20)) {
            End.connect(a, b);
            run(a, b, 20_000);
            ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long[] ids = LongStream.concat(
                            threads("lean").stream().mapToLong(Thread::getId),
                            LongStream.of(Thread.currentThread().getId()))
                    .toArray();
            long before = Arrays.stream(bean.getThreadAllocatedBytes(ids)).sum();
            int count = 20_000;
            run(a, b, count);
            long after = Arrays.stream(bean.getThreadAllocatedBytes(ids)).sum();
            assertThat((after - before) / count)
                    .as("bytes allocated for a message, by all threads")
                    .isLessThan(1024);
        }
    }

    private static void run(End a, End b, int count) {
        int done = 0;
        for (int i = 0; i < count; i++) {
            a.post(i, Opcode.RDMA_WRITE, 0, i % 2 == 0 ? 64 : 20_000, b, 0);
            if (i - done >= 16) {
                takeOne(a);
                done++;
            }
        }
        while (done < count) {
            takeOne(a);
            done++;
        }
    }

    private static void takeOne(End end) {
        while (end.queue.poll(end.completions) == 0) {
            Thread.onSpinWait();
        }
        if (end.completions.statusCode(0) != 0) {
            throw new AssertionError(end.completions.status(0));
        }
    }

    @Test
    void whenAHandleIsDroppedThenAWarningNamesIt() {
        Logger logger = (Logger) LoggerFactory.getLogger(Lifecycle.class);
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        logger.addAppender(appender);
        try (VerbsContext context = open(SoftDeviceOptions.defaults().withName("leaky"))) {
            drop(context);
            await().until(() -> {
                System.gc();
                return List.copyOf(appender.list).stream()
                        .anyMatch(event -> event.getFormattedMessage().contains("completion channel"));
            });
        } catch (io.tensorfabric.verbs.VerbsException busy) {
            assertThat(busy).hasMessageContaining("completion channel");
        } finally {
            logger.detachAppender(appender);
        }
    }

    private static void drop(VerbsContext context) {
        assertThat(context.createCompletionChannel().isClosed()).isFalse();
    }
}

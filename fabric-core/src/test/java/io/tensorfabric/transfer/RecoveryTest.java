package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.ConnectionOptions;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * How long it takes from the end of a fault until a tensor arrives again, with the options that users get. The page about
 * failures quotes what this prints.
 */
@Timeout(180)
class RecoveryTest {

    private static final PushOptions PUSH = PushOptions.defaults().withDeadline(Duration.ofSeconds(1));

    /** How long each fault lasts. */
    private static final Duration FAULT = Duration.ofSeconds(3);

    private SoftPair pair;

    private Tensor tensor;

    @BeforeEach
    void start() throws Exception {
        pair = new SoftPair(
                TransferOptions.builder().landingZoneSize(4 << 20),
                builder -> builder.options(ConnectionOptions.defaults()));
        pair.b().register("all", "*", "*", ReceivedTensor::close);
        tensor = tensor("t", 100_000, 1);
        pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
    }

    @AfterEach
    void end() {
        tensor.close();
        pair.close();
    }

    /** Pushes all the time for as long as the fault lasts, then until a push succeeds. */
    private void assertRecovers(String fault, Runnable begin, Runnable heal, Duration most) throws Exception {
        begin.run();
        long end = System.nanoTime() + FAULT.toNanos();
        int failed = 0;
        while (System.nanoTime() - end < 0) {
            failed += succeeds() ? 0 : 1;
        }
        heal.run();
        long healed = System.nanoTime();
        while (!succeeds()) {
            assertThat(System.nanoTime() - healed).as(fault).isLessThan(TimeUnit.SECONDS.toNanos(60));
        }
        Duration took = Duration.ofNanos(System.nanoTime() - healed);
        System.out.printf(
                "recovery: %s for %d s: %d ms, %d pushes failed%n", fault, FAULT.toSeconds(), took.toMillis(), failed);
        assertThat(took).as(fault).isLessThan(most);
    }

    private boolean succeeds() throws InterruptedException {
        try {
            pair.a().push(TwoNodes.B, tensor, PUSH).get(10, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(TransferException.class);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            return false;
        } catch (TimeoutException e) {
            throw new AssertionError("a push outlived its deadline by far", e);
        }
    }

    @Test
    void whenThePortIsActiveAgainThenTensorsArriveWithinTwoSeconds() throws Exception {
        assertRecovers(
                "port down",
                () -> pair.nodes.a().faults().setPortState(1, PortState.DOWN),
                () -> pair.nodes.a().faults().setPortState(1, PortState.ACTIVE),
                Duration.ofSeconds(2));
    }

    @Test
    void whenTheGidIsThereAgainThenTensorsArriveWithinTwoSeconds() throws Exception {
        List<GidEntry> table = pair.nodes.a().device().context().queryGidTable(1);
        assertRecovers(
                "GID gone",
                () -> pair.nodes.a().faults().setGidTable(1, List.of()),
                () -> pair.nodes.a().faults().setGidTable(1, table),
                Duration.ofSeconds(2));
    }

    @Test
    void whenTheNetworkWorksAgainThenTensorsArrive() throws Exception {
        assertRecovers(
                "network drops everything",
                () -> {
                    pair.nodes.network().detach(TwoNodes.B);
                    pair.nodes.a().faults().traffic().stallMessages(true);
                    pair.nodes.b().faults().traffic().stallMessages(true);
                },
                () -> {
                    pair.nodes.a().faults().clear();
                    pair.nodes.b().faults().clear();
                    pair.nodes.network().attach(TwoNodes.B, pair.nodes.b().manager());
                },
                Duration.ofSeconds(15));
    }

    @Test
    void whenThePeerWasKilledAndIsBackThenTensorsArrive() throws Exception {
        assertRecovers(
                "peer killed",
                () -> pair.nodes.b().kill(),
                () -> {
                    pair.nodes.restartB();
                    pair.b().register("all", "*", "*", ReceivedTensor::close);
                },
                Duration.ofSeconds(15));
    }

    @Test
    void whenAStuckReceiverWorksAgainThenTensorsArrive() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        tensor.close();
        pair.close();
        pair = new SoftPair(
                TransferOptions.builder().landingZoneSize(1 << 20).listenerThreadsPerPeer(1),
                builder -> builder.options(ConnectionOptions.defaults()));
        tensor = tensor("t", 400_000, 1);
        pair.b().register("stuck", "*", "*", received -> {
            go.await();
            received.close();
        });
        assertRecovers("listener stuck, zone full", () -> {}, go::countDown, Duration.ofSeconds(15));
    }

    @Test
    void whenASingleWorkRequestFailsThenThePushItselfRecovers() throws Exception {
        pair.nodes.a().faults().failWorkRequests(0, 1, WorkCompletionStatus.REM_ACCESS_ERR);
        long begin = System.nanoTime();
        TransferReceipt receipt = pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
        assertThat(receipt.attempts()).isGreaterThan(1);
        System.out.printf(
                "recovery: a work request fails: %d ms, %d attempts, 0 pushes failed%n",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin), receipt.attempts());
    }
}

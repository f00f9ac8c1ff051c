package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.testing.TwoNodes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One bad peer never slows a good one. */
@Timeout(90)
class IsolationTest {

    private static final PushOptions PROCESSED = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);

    private static final int ROUNDS = 3;

    private static TestNode node(LocalNetwork network, String name, String... peers) {
        return TestNode.builder(name, network)
                .peers(peers)
                .options(TwoNodes.quickOptions().build())
                .handler(node -> SoftPair.transfers(
                        node, TransferOptions.builder().landingZoneSize(4 << 20).build()))
                .start();
    }

    private static FabricTransfers transfers(TestNode node) {
        return (FabricTransfers) node.handler();
    }

    private static void close(TestNode... nodes) {
        for (TestNode node : nodes) {
            transfers(node).close(Duration.ofSeconds(5));
        }
        for (TestNode node : nodes) {
            node.close();
        }
    }

    @Test
    void whenTheTensorsOfOnePeerKeepTheirListenersBusyThenThoseOfAnotherAreProcessed() throws Exception {
        LocalNetwork network = new LocalNetwork();
        TestNode hub = node(network, "hub");
        TestNode bad = node(network, "bad", "hub");
        TestNode good = node(network, "good", "hub");
        CountDownLatch go = new CountDownLatch(1);
        try (Tensor tensor = tensor("t", 1000, 1)) {
            transfers(hub).register("stuck", "*", "bad", received -> {
                go.await();
                received.close();
            });
            transfers(hub).register("quick", "*", "good", ReceivedTensor::close);
            List<CompletableFuture<TransferReceipt>> stuck = new ArrayList<>();
            for (int i = 0; i < 900; i++) {
                stuck.add(transfers(bad).push("hub", tensor, PROCESSED));
            }
            await().until(() -> transfers(hub).transfers().size() >= 900);
            for (int i = 0; i < 50; i++) {
                transfers(good).push("hub", tensor, PROCESSED).get(5, TimeUnit.SECONDS);
            }
            assertThat(stuck).noneMatch(CompletableFuture::isDone);
            go.countDown();
            CompletableFuture.allOf(stuck.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        } finally {
            go.countDown();
            close(bad, good, hub);
        }
    }

    @Test
    void whenAListenerLeavesItsThreadInterruptedOrBrokenThenTheNextTensorIsNotDisturbed() throws Exception {
        LocalNetwork network = new LocalNetwork();
        TestNode hub = node(network, "hub");
        TestNode good = node(network, "good", "hub");
        AtomicInteger disturbed = new AtomicInteger();
        try (Tensor rude = tensor("rude", 10, 1);
                Tensor fatal = tensor("fatal", 10, 1);
                Tensor fine = tensor("fine", 10, 1)) {
            transfers(hub).register("rude", "rude", "*", received -> {
                received.close();
                Thread.currentThread().interrupt();
            });
            transfers(hub).register("fatal", "fatal", "*", received -> {
                throw new StackOverflowError("on purpose");
            });
            transfers(hub).register("fine", "fine", "*", received -> {
                received.close();
                disturbed.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
            });
            List<CompletableFuture<TransferReceipt>> ends = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                transfers(good).push("hub", rude, PROCESSED).get(10, TimeUnit.SECONDS);
                assertThat(PushTest.failure(transfers(good).push("hub", fatal, PROCESSED))
                                .kind())
                        .isEqualTo(TransferException.Kind.LISTENER_FAILED);
                ends.add(transfers(good).push("hub", fine, PROCESSED));
            }
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
            assertThat(disturbed).hasValue(0);
        } finally {
            close(good, hub);
        }
    }

    /** The good peer's listener takes 5 ms, so that its rate is not that of a machine which others use too. */
    @Test
    void whenOnePeerIsBadThenTheThroughputOfAnotherStaysOverFourFifths() throws Exception {
        LocalNetwork network = new LocalNetwork();
        TestNode hub = node(network, "hub", "dead");
        TestNode bad = node(network, "bad", "hub");
        TestNode good = node(network, "good", "hub");
        try {
            transfers(hub).register("slow", "*", "bad", received -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                received.close();
            });
            transfers(hub).register("steady", "*", "good", received -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                received.close();
            });
            rate(good, Duration.ofMillis(300));
            double best = 0;
            for (int round = 0; round < ROUNDS && best < 0.8; round++) {
                double alone = rate(good, Duration.ofSeconds(1));
                AtomicBoolean over = new AtomicBoolean();
                List<Thread> nuisances = List.of(
                        new Thread(() -> flood(bad, "hub", 200_000, over)),
                        new Thread(() -> flood(hub, "dead", 1000, over)));
                nuisances.forEach(Thread::start);
                await().until(() -> transfers(hub).statistics().openTensors() >= 4);
                double beside = rate(good, Duration.ofSeconds(1));
                over.set(true);
                for (Thread nuisance : nuisances) {
                    nuisance.join();
                }
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> transfers(hub).statistics().openTensors() == 0);
                System.out.printf("tensors/s of the good peer: alone %.0f, beside bad ones %.0f%n", alone, beside);
                best = Math.max(best, beside / alone);
            }
            assertThat(best).isGreaterThan(0.8);
        } finally {
            close(bad, good, hub);
        }
    }

    /** Pushes of the good peer that are processed in a second, two at a time. */
    private static double rate(TestNode good, Duration time) throws Exception {
        try (Tensor tensor = tensor("t", 100_000, 2)) {
            long begin = System.nanoTime();
            int done = 0;
            while (System.nanoTime() - begin < time.toNanos()) {
                CompletableFuture<TransferReceipt> first = transfers(good).push("hub", tensor, PROCESSED);
                CompletableFuture<TransferReceipt> second = transfers(good).push("hub", tensor, PROCESSED);
                first.get(10, TimeUnit.SECONDS);
                second.get(10, TimeUnit.SECONDS);
                done += 2;
            }
            return done * 1e9 / (System.nanoTime() - begin);
        }
    }

    private static void flood(TestNode from, String to, int bytes, AtomicBoolean over) {
        AtomicInteger underWay = new AtomicInteger();
        try (Tensor tensor = tensor("flood", bytes, 3)) {
            while (!over.get()) {
                if (underWay.get() < 64) {
                    underWay.incrementAndGet();
                    transfers(from)
                            .push(to, tensor, PROCESSED)
                            .whenComplete((receipt, error) -> underWay.decrementAndGet());
                } else {
                    LockSupport.parkNanos(100_000);
                }
            }
        }
    }
}

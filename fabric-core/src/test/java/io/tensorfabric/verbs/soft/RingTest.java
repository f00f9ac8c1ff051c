package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.memory.SharedHostMemoryProvider;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Frames that go by rings in shared memory instead of a socket, both ends being on one host. */
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class RingTest {

    private static final int SIZE = 8 << 20;

    private final MemoryProvider shared = new SharedHostMemoryProvider();

    private final SoftFaults faultsOfB = new SoftFaults();

    private End a;

    private End b;

    @BeforeEach
    void connect() {
        a = new End(SoftDeviceOptions.defaults(), SIZE, shared);
        b = new End(SoftDeviceOptions.defaults().withFaults(faultsOfB), SIZE, shared);
        End.connect(a, b);
        awaitRings();
    }

    @AfterEach
    void close() {
        faultsOfB.clear();
        a.close();
        b.close();
    }

    private static Attention attention(End end) {
        return ((SoftContext) end.context).engine().attention();
    }

    /** Writes until requests and answers go by rings. */
    private void awaitRings() {
        awaitRings(a, b);
    }

    private static void awaitRings(End from, End to) {
        await().until(() -> {
            write(from, to, Sharing.PAYLOADS_BEFORE_RINGS);
            return attention(from).isInUse() && attention(to).isInUse();
        });
    }

    private static void write(End from, End to, int times) {
        for (int i = 0; i < times; i++) {
            from.post(1, Opcode.RDMA_WRITE, 0, 8, to, 0);
            from.expect(1, WorkCompletionStatus.SUCCESS);
        }
    }

    @Test
    void whenMemoryIsSharedThenSmallWritesReadsAndSendsGoByRings() {
        a.fill(0, 3000, 5);
        a.post(2, Opcode.RDMA_WRITE, 0, 3000, b, 100);
        a.expect(2, WorkCompletionStatus.SUCCESS);
        b.assertFilled(100, 3000, 5);
        b.receive(3, 5000, 100);
        a.sends.clear().add(3, Opcode.SEND).flags(SendFlag.SIGNALED).local(a.memory, 50, a.region.lkey());
        a.pair.postSend(a.sends);
        a.expect(3, WorkCompletionStatus.SUCCESS);
        b.expect(3, WorkCompletionStatus.SUCCESS);
        b.assertFilled(5000, 50, 5);
    }

    @Test
    void whenAReadIsLargerThanTheRingThenItArrivesPieceByPiece() {
        b.fill(0, 4_000_001, 9);
        a.post(4, Opcode.RDMA_READ, 1, 4_000_001, b, 0);
        a.expect(4, WorkCompletionStatus.SUCCESS);
        a.assertFilled(1, 4_000_001, 9);
    }

    @Test
    void whenTheKeyIsWrongThenTheRefusalComesByTheRing() {
        OffHeap.fill(b.memory, 100, (byte) 0);
        a.sends
                .clear()
                .add(5, Opcode.RDMA_WRITE)
                .flags(SendFlag.SIGNALED)
                .remote(b.memory, b.region.rkey() + 1)
                .local(a.memory, 100, a.region.lkey());
        a.pair.postSend(a.sends);
        a.expect(5, WorkCompletionStatus.REM_ACCESS_ERR);
        b.assertUntouched(0, 100);
        assertThat(attention(a).isInUse()).isFalse();
    }

    @Test
    void whenTheConnectionIsCutThenRingsComeAgainAndNothingIsLostOrDoubled() {
        for (int round = 0; round < 5; round++) {
            faultsOfB.disconnect();
            a.fill(0, 1000, round);
            a.post(6, Opcode.RDMA_WRITE, 0, 1000, b, 0);
            a.expect(6, WorkCompletionStatus.SUCCESS);
            b.assertFilled(0, 1000, round);
            awaitRings();
        }
    }

    @Test
    void whenTheQueuePairIsInErrorThenItsRingIsWatchedNoMore() {
        a.modify(QueuePairState.ERR);
        assertThat(attention(a).isInUse()).isFalse();
        await().until(() -> !attention(b).isInUse());
    }

    @Test
    void whenThreadsBeginAndEndToLookThenNoFrameWaitsForEver() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread looking = new Thread(() -> {
            while (!stop.get()) {
                b.queue.attend(true);
                for (int i = 0; i < 200; i++) {
                    b.queue.poll(b.completions);
                }
                b.queue.attend(false);
                Thread.yield();
            }
        });
        looking.start();
        try {
            for (int i = 0; i < 2000; i++) {
                boolean look = i % 3 == 0;
                if (look) {
                    a.queue.attend(true);
                }
                a.post(i, Opcode.RDMA_WRITE, 0, 1 + i % 9000, b, 0);
                a.expect(i, WorkCompletionStatus.SUCCESS);
                if (look) {
                    a.queue.attend(false);
                }
            }
        } finally {
            stop.set(true);
            looking.join();
        }
    }

    /** Has the rings of both ends looked into, as pollers do that never sleep. */
    private void busyUntilWatched(End... looking) {
        await().until(() -> {
            write(a, b, 10);
            return Arrays.stream(looking).allMatch(end -> attention(end).watched() == 1);
        });
    }

    @Test
    void whenARingIsQuietThenNobodyLooksIntoItAndWhatComesArrivesAllTheSame() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread looking = new Thread(() -> {
            while (!stop.get()) {
                b.queue.poll(b.completions);
                Thread.onSpinWait();
            }
        });
        a.queue.attend(true);
        b.queue.attend(true);
        looking.start();
        try {
            busyUntilWatched(a, b);
            // What is sent again, on a busy machine, comes twice, which is not quiet.
            AtomicInteger round = new AtomicInteger();
            await().until(() -> {
                quietUntilLeft();
                int seed = round.incrementAndGet();
                a.fill(0, 5000, seed);
                a.post(8, Opcode.RDMA_WRITE, 0, 5000, b, 0);
                a.expect(8, WorkCompletionStatus.SUCCESS);
                b.assertFilled(0, 5000, seed);
                assertThat(attention(a).isInUse()).isTrue();
                return attention(a).watched() == 0;
            });
        } finally {
            stop.set(true);
            looking.join();
            a.queue.attend(false);
            b.queue.attend(false);
        }
    }

    private void quietUntilLeft() {
        await().until(() -> {
            for (int i = 0; i < 1000; i++) {
                a.queue.poll(a.completions);
            }
            return attention(a).watched() == 0 && attention(b).watched() == 0;
        });
    }

    @Test
    void whenLookersSleepThenQuietRingsAreLeftToo() {
        a.queue.attend(true);
        busyUntilWatched(a);
        a.queue.attend(false);
        await().until(() -> {
            a.queue.attend(true);
            a.queue.attend(false);
            return attention(a).watched() == 0;
        });
        a.fill(0, 5000, 3);
        a.post(9, Opcode.RDMA_WRITE, 0, 5000, b, 0);
        a.expect(9, WorkCompletionStatus.SUCCESS);
        b.assertFilled(0, 5000, 3);
    }

    @Test
    void whenLittleIsSaidThenThereAreNoRings() {
        try (End c = new End(SoftDeviceOptions.defaults(), SIZE, shared);
                End d = new End(SoftDeviceOptions.defaults(), SIZE, shared)) {
            End.connect(c, d);
            write(c, d, Sharing.PAYLOADS_BEFORE_RINGS - 1);
            // What is read is no payload of this end's, and comes after whatever the others might have begun.
            for (int i = 0; i < 10; i++) {
                c.post(99, Opcode.RDMA_READ, 0, 8, d, 0);
                c.expect(99, WorkCompletionStatus.SUCCESS);
            }
            assertThat(attention(c).isInUse() || attention(d).isInUse()).isFalse();
            awaitRings(c, d);
        }
    }

    @Test
    void whenMoreIsPostedThanTheRingHoldsThenAllOfItArrives() {
        long target = 1 << 20;
        for (int round = 0; round < 20; round++) {
            a.fill(0, 60 * 4096, round);
            for (int i = 0; i < 60; i++) {
                a.post(i, Opcode.RDMA_WRITE, i * 4096L, 4096, b, target + i * 4096L);
            }
            for (int i = 0; i < 60; i++) {
                a.expect(i, WorkCompletionStatus.SUCCESS);
            }
            b.assertFilled(target, 60 * 4096, round);
        }
    }

    @Test
    void whenTheDeviceIsClosedInUseThenThePeerLearnsOfIt() {
        End c = new End(SoftDeviceOptions.defaults(), SIZE, shared);
        End d = new End(SoftDeviceOptions.defaults(), SIZE, shared);
        c.retryCount = 1;
        c.timeout = 8;
        try {
            End.connect(c, d);
            awaitRings(c, d);
            long memory = d.memory;
            int key = d.region.rkey();
            d.close();
            c.sends
                    .clear()
                    .add(2, Opcode.RDMA_WRITE)
                    .flags(SendFlag.SIGNALED)
                    .remote(memory, key)
                    .local(c.memory, 8, c.region.lkey());
            c.pair.postSend(c.sends);
            assertThat(c.poll(Duration.ofSeconds(10))).isTrue();
            assertThat(c.completions.status(0)).isEqualTo(WorkCompletionStatus.RETRY_EXC_ERR);
        } finally {
            c.close();
        }
    }
}

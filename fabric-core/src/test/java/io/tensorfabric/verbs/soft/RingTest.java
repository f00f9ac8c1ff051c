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
import java.util.concurrent.atomic.AtomicBoolean;
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
        await().until(() -> {
            a.post(1, Opcode.RDMA_WRITE, 0, 8, b, 0);
            a.expect(1, WorkCompletionStatus.SUCCESS);
            return attention(a).isInUse() && attention(b).isInUse();
        });
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
            await().until(() -> {
                c.post(1, Opcode.RDMA_WRITE, 0, 8, d, 0);
                c.expect(1, WorkCompletionStatus.SUCCESS);
                return attention(c).isInUse();
            });
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

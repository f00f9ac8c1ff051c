package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections break, and messages still arrive in order and once. */
@Timeout(120)
class SoftResumeTest {

    private static final long SIZE = 16 << 20;

    private final SoftFaults faults = new SoftFaults();

    private End a;
    private End b;

    @BeforeEach
    void connect() {
        SoftDeviceOptions options = SoftDeviceOptions.builder()
                .faults(faults)
                .minimumAckTimeout(Duration.ofMillis(100))
                .build();
        a = new End(options.withName("softA"), SIZE);
        b = new End(options.withName("softB"), SIZE);
        a.retryCount = 7;
        End.connect(a, b);
    }

    @AfterEach
    void close() {
        faults.clear();
        a.close();
        b.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 5000, 400_000})
    void whenConnectionsBreakThenEachSendArrivesOnceInOrder(int length) {
        int total = length > 100_000 ? 60 : 600;
        int window = 8;
        Random random = new Random(length);
        for (int i = 0; i < window; i++) {
            b.receive(i, (long) i * length, length);
        }
        int posted = 0;
        int sent = 0;
        int received = 0;
        while (received < total || sent < total) {
            if (posted < total && posted - sent < window) {
                long offset = (long) (posted % window) * length;
                OffHeap.putLong(a.memory + offset, posted);
                OffHeap.putLong(a.memory + offset + length - 8, ~posted);
                a.post(posted, Opcode.SEND, offset, length, b, 0);
                posted++;
            }
            if (random.nextInt(10) == 0) {
                faults.disconnect();
            }
            if (random.nextInt(25) == 0) {
                faults.traffic().dropMessages(1);
            }
            if (random.nextInt(25) == 0) {
                faults.traffic().dropAcks(1);
            }
            if (a.poll(Duration.ofMillis(1))) {
                assertThat(a.completions.status(0)).isEqualTo(WorkCompletionStatus.SUCCESS);
                assertThat(a.completions.id(0)).isEqualTo(sent++);
            }
            if (b.queue.poll(b.completions) > 0) {
                assertThat(b.completions.status(0)).isEqualTo(WorkCompletionStatus.SUCCESS);
                assertThat(b.completions.id(0)).isEqualTo(received % window);
                long at = b.memory + (long) (received % window) * length;
                assertThat(OffHeap.getLong(at)).isEqualTo(received);
                assertThat(OffHeap.getLong(at + length - 8)).isEqualTo(~(long) received);
                b.receive(received % window, (long) (received % window) * length, length);
                received++;
            }
        }
        assertThat(b.poll(Duration.ofMillis(20))).isFalse();
    }

    @Test
    void whenConnectionsBreakUnderReadsThenTheDataIsWhole() {
        Random random = new Random(4);
        long length = 3_000_000;
        b.fill(0, length, 42);
        for (int i = 0; i < 20; i++) {
            OffHeap.fill(a.memory, length, (byte) 0);
            a.post(i, Opcode.RDMA_READ, 0, length, b, 0);
            a.post(1000 + i, Opcode.RDMA_WRITE, 4_000_000, 100, b, 4_000_000);
            if (random.nextBoolean()) {
                faults.disconnect();
            }
            a.expect(i, WorkCompletionStatus.SUCCESS);
            a.expect(1000 + i, WorkCompletionStatus.SUCCESS);
            a.assertFilled(0, length, 42);
        }
    }

    @Test
    void whenTheSenderStartsAnewThenTheReceiverDoesNotTakeItForTheOldOne() {
        a.post(1, Opcode.RDMA_WRITE, 0, 64, b, 0);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        a.modify(QueuePairState.RESET);
        a.init();
        a.readyToReceive(End.pathTo(b.pair, b.context), b.pair.number(), End.SEND_PSN_B);
        a.retryCount = 1;
        a.readyToSend(End.SEND_PSN_A);
        a.fill(0, 64, 3);
        a.post(2, Opcode.RDMA_WRITE, 0, 64, b, 0);
        a.expect(2, WorkCompletionStatus.RETRY_EXC_ERR);
        b.assertUntouched(0, 64);
    }

    @Test
    void whenBothEndsStartAnewThenTheyWorkAgain() {
        for (int i = 0; i < 5; i++) {
            a.post(1, Opcode.RDMA_WRITE, 0, 2_000_000, b, 0);
            a.expect(1, WorkCompletionStatus.SUCCESS);
            a.modify(QueuePairState.ERR);
            b.modify(QueuePairState.ERR);
            a.modify(QueuePairState.RESET);
            b.modify(QueuePairState.RESET);
            End.connect(a, b);
        }
        a.sends.clear();
        a.sends.add(9, Opcode.RDMA_READ).flags(SendFlag.SIGNALED).remote(b.memory, b.region.rkey());
        a.sends.local(a.memory, 8, a.region.lkey());
        a.pair.postSend(a.sends);
        a.expect(9, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void whenTheTargetGoesToErrorThenNothingIsWrittenAfterwards() {
        a.fill(0, SIZE, 7);
        a.post(1, Opcode.RDMA_WRITE, 0, SIZE, b, 0);
        b.modify(QueuePairState.ERR);
        OffHeap.fill(b.memory, SIZE, (byte) 0);
        a.post(2, Opcode.RDMA_WRITE, 0, SIZE, b, 0);
        assertThat(a.poll(Duration.ofMillis(200))).as("retries for ever").isFalse();
        b.assertUntouched(0, SIZE);
    }

    @Test
    void whenARegionIsClosedThenNothingIsWrittenAfterwards() {
        a.fill(0, SIZE, 7);
        a.post(1, Opcode.RDMA_WRITE, 0, SIZE, b, 0);
        b.region.close();
        OffHeap.fill(b.memory, SIZE, (byte) 0);
        a.expect(1, WorkCompletionStatus.REM_ACCESS_ERR);
        b.assertUntouched(0, SIZE);
        assertThat(b.pair.state()).isEqualTo(QueuePairState.ERR);
    }
}

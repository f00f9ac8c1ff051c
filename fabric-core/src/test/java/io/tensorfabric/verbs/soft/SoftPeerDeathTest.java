package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer in another process. */
@Timeout(120)
class SoftPeerDeathTest {

    private static final int SIZE = 8 << 20;

    private static void post(End end, ForkedEnd peer, long id, Opcode opcode, long offset) {
        end.sends
                .clear()
                .add(id, opcode)
                .flags(SendFlag.SIGNALED)
                .remote(peer.description().memory(), peer.description().rkey())
                .local(end.memory + offset, SIZE, end.region.lkey());
        assertThat(end.pair.postSend(end.sends)).isEqualTo(1);
    }

    @Test
    void whenThePeerIsAnotherProcessThenBytesGoThereAndComeBack() throws Exception {
        try (End end = new End(SoftDeviceOptions.defaults(), 2 * SIZE);
                ForkedEnd peer = ForkedEnd.connect(end, SIZE, "-Xmx64m")) {
            end.fill(0, SIZE, 8);
            post(end, peer, 1, Opcode.RDMA_WRITE, 0);
            post(end, peer, 2, Opcode.RDMA_READ, SIZE);
            end.expect(1, WorkCompletionStatus.SUCCESS);
            end.expect(2, WorkCompletionStatus.SUCCESS);
            end.assertFilled(SIZE, SIZE, 8);
        }
    }

    @Test
    void whenThePeerIsKilledThenTheRetriesRunOutInTime() throws Exception {
        try (End end = new End(SoftDeviceOptions.defaults(), SIZE)) {
            end.timeout = 14;
            end.retryCount = 3;
            try (ForkedEnd peer = ForkedEnd.connect(end, SIZE, "-Xmx64m")) {
                post(end, peer, 0, Opcode.RDMA_WRITE, 0);
                end.expect(0, WorkCompletionStatus.SUCCESS);
                for (int i = 1; i < 40; i++) {
                    post(end, peer, i, Opcode.RDMA_WRITE, 0);
                }
                peer.kill();
                long start = System.nanoTime();
                WorkCompletionStatus status = WorkCompletionStatus.SUCCESS;
                int next = 1;
                while (status == WorkCompletionStatus.SUCCESS) {
                    assertThat(end.poll(Duration.ofSeconds(10))).isTrue();
                    status = end.completions.status(0);
                    assertThat(end.completions.id(0)).isEqualTo(next++);
                }
                // Four times 67 ms.
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .isBetween(Duration.ofMillis(100), Duration.ofMillis(4300));
                assertThat(status).isEqualTo(WorkCompletionStatus.RETRY_EXC_ERR);
                while (next < 40) {
                    end.expect(next++, WorkCompletionStatus.WR_FLUSH_ERR);
                }
                assertThat(end.pair.state()).isEqualTo(QueuePairState.ERR);
            }
        }
    }
}

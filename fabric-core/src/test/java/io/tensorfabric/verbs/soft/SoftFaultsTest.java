package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.GidType;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SoftFaultsTest {

    private static final long SIZE = 8 << 20;

    private final SoftFaults faults = new SoftFaults();

    private End a;
    private End b;

    @BeforeEach
    void open() {
        SoftDeviceOptions options = SoftDeviceOptions.builder()
                .name("softA")
                .faults(faults)
                .portCount(2)
                .minimumAckTimeout(Duration.ofMillis(100))
                .build();
        a = new End(options, SIZE);
        b = new End(options.withName("softB").withFaults(new SoftFaults()), SIZE);
    }

    @AfterEach
    void close() {
        faults.clear();
        a.close();
        b.close();
    }

    private void write(long id) {
        a.post(id, Opcode.RDMA_WRITE, 0, 64, b, 0);
    }

    private void assertTakes(Duration least, Duration most, Runnable action) {
        long start = System.nanoTime();
        action.run();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(least, most);
    }

    @Test
    void whenMessagesAreDroppedThenTheyAreSentAgain() {
        End.connect(a, b);
        write(0);
        a.expect(0, WorkCompletionStatus.SUCCESS);
        b.receive(9, 0, 64);
        faults.traffic().dropMessages(1);
        a.post(1, Opcode.SEND, 0, 64, b, 0);
        assertTakes(Duration.ofMillis(60), Duration.ofSeconds(5), () -> a.expect(1, WorkCompletionStatus.SUCCESS));
        b.expect(9, WorkCompletionStatus.SUCCESS);
        faults.traffic().dropMessages(1);
        write(2);
        write(3);
        a.expect(2, WorkCompletionStatus.SUCCESS);
        a.expect(3, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void whenAllMessagesAreDroppedThenTheRetriesRunOut() {
        a.retryCount = 2;
        End.connect(a, b);
        faults.traffic().dropMessages(Integer.MAX_VALUE);
        write(1);
        write(2);
        a.expect(1, WorkCompletionStatus.RETRY_EXC_ERR);
        a.expect(2, WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(b.pair.state()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void whenAnAckIsDroppedThenTheMessageIsNotExecutedTwice() {
        b.retryCount = 7;
        End.connect(a, b);
        for (int i = 0; i < 2; i++) {
            a.receive(i, 0, 64);
        }
        faults.traffic().dropAcks(1);
        b.post(5, Opcode.SEND, 0, 64, a, 0);
        b.expect(5, WorkCompletionStatus.SUCCESS);
        a.expect(0, WorkCompletionStatus.SUCCESS);
        assertThat(a.poll(Duration.ofMillis(50))).isFalse();
    }

    @Test
    void whenMessagesAreDelayedThenTheyComeLater() {
        End.connect(a, b);
        write(0);
        a.expect(0, WorkCompletionStatus.SUCCESS);
        faults.traffic(a.pair.number()).delayMessages(Duration.ofMillis(80));
        assertTakes(Duration.ofMillis(70), Duration.ofSeconds(5), () -> {
            write(1);
            write(2);
            a.expect(1, WorkCompletionStatus.SUCCESS);
            a.expect(2, WorkCompletionStatus.SUCCESS);
        });
        faults.traffic(a.pair.number() + 1).delayMessages(Duration.ofSeconds(50));
        faults.traffic(a.pair.number()).clear();
        write(3);
        a.expect(3, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void whenAcksAreDelayedOrStalledThenCompletionsWait() {
        b.retryCount = 7;
        End.connect(a, b);
        faults.traffic().delayAcks(Duration.ofMillis(60));
        assertTakes(Duration.ofMillis(50), Duration.ofSeconds(5), () -> {
            b.post(1, Opcode.RDMA_WRITE, 0, 64, a, 0);
            b.expect(1, WorkCompletionStatus.SUCCESS);
        });
        faults.traffic().delayAcks(Duration.ZERO);
        faults.traffic().stallAcks(true);
        b.post(2, Opcode.RDMA_READ, 0, 64, a, 0);
        assertThat(b.poll(Duration.ofMillis(50))).isFalse();
        faults.traffic().stallAcks(false);
        b.expect(2, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void whenTheNetworkStallsThenTheRetriesRunOutAndNotIfItRecovers() {
        a.retryCount = 1;
        End.connect(a, b);
        write(0);
        a.expect(0, WorkCompletionStatus.SUCCESS);
        faults.traffic().stallMessages(true);
        write(1);
        assertThat(a.poll(Duration.ofMillis(20))).isFalse();
        faults.traffic().stallMessages(false);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        faults.traffic().stallMessages(true);
        write(2);
        a.expect(2, WorkCompletionStatus.RETRY_EXC_ERR);
    }

    @Test
    void whenTheRateIsLimitedThenALargeWriteIsSlowAndNotLost() {
        End.connect(a, b);
        faults.traffic().limitRate(10_000_000);
        a.fill(0, 2_000_000, 9);
        assertTakes(Duration.ofMillis(150), Duration.ofSeconds(10), () -> {
            a.post(1, Opcode.RDMA_WRITE, 0, 2_000_000, b, 0);
            a.expect(1, WorkCompletionStatus.SUCCESS);
        });
        b.assertFilled(0, 2_000_000, 9);
    }

    @Test
    void whenConnectionsAreRefusedThenTheRetriesRunOut() {
        a.retryCount = 0;
        End.connect(a, b);
        faults.traffic().refuseConnections(true);
        write(1);
        a.expect(1, WorkCompletionStatus.RETRY_EXC_ERR);
    }

    @Test
    void whenACallIsToFailThenItFailsSoOften() {
        faults.failCall("ibv_reg_mr", Errno.ENOMEM, 2);
        for (int i = 0; i < 2; i++) {
            VerbsException failure =
                    catchThrowableOfType(VerbsException.class, () -> a.domain.registerMemory(a.memory, 64, End.ALL));
            assertThat(failure.errno()).isEqualTo(Errno.ENOMEM);
            assertThat(failure.call()).isEqualTo("ibv_reg_mr");
        }
        a.domain.registerMemory(a.memory, 64, End.ALL).close();
        faults.failCall("ibv_modify_qp:RTR", Errno.ETIMEDOUT, 1);
        assertThatThrownBy(() -> End.connect(a, b)).hasMessageContaining("ETIMEDOUT");
        assertThat(a.pair.state()).isEqualTo(QueuePairState.INIT);
        faults.failCall("ibv_dereg_mr", Errno.EBUSY, 1);
        assertThatThrownBy(a.region::close).isInstanceOf(VerbsException.class);
        assertThat(a.region.isClosed()).isFalse();
    }

    @Test
    void whenAWorkRequestIsToFailThenTheOthersBeforeItDoNot() {
        End.connect(a, b);
        faults.failWorkRequests(2, 1, WorkCompletionStatus.LOC_PROT_ERR);
        for (int i = 0; i < 5; i++) {
            write(i);
        }
        a.expect(0, WorkCompletionStatus.SUCCESS);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        a.expect(2, WorkCompletionStatus.LOC_PROT_ERR);
        a.expect(3, WorkCompletionStatus.WR_FLUSH_ERR);
        a.expect(4, WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(a.pair.state()).isEqualTo(QueuePairState.ERR);
        assertThat(b.pair.state()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void whenCompletionsAreHeldThenTheyComeInOrderAfterwards() {
        End.connect(a, b);
        faults.holdCompletions(true);
        write(1);
        write(2);
        assertThat(a.poll(Duration.ofMillis(50))).isFalse();
        faults.holdCompletions(false);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        a.expect(2, WorkCompletionStatus.SUCCESS);
        faults.delayCompletions(Duration.ofMillis(50));
        assertTakes(Duration.ofMillis(40), Duration.ofSeconds(5), () -> {
            write(3);
            a.expect(3, WorkCompletionStatus.SUCCESS);
        });
    }

    @Test
    void whenThePortFailsThenTheRetriesRunOutAndEventsTell() {
        End.connect(a, b);
        write(0);
        a.expect(0, WorkCompletionStatus.SUCCESS);
        faults.setPortState(2, PortState.DOWN);
        assertThat(a.event().port()).isEqualTo(2);
        write(1);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        faults.setPortState(1, PortState.DOWN);
        assertThat(a.event()).satisfies(event -> {
            assertThat(event.type()).isEqualTo(AsyncEventType.PORT_ERR);
            assertThat(event.port()).isEqualTo(1);
        });
        assertThat(a.context.queryPort(1).state()).isEqualTo(PortState.DOWN);
        write(2);
        a.expect(2, WorkCompletionStatus.RETRY_EXC_ERR);
        faults.setPortState(1, PortState.ACTIVE);
        assertThat(a.event().type()).isEqualTo(AsyncEventType.PORT_ACTIVE);
    }

    @Test
    void whenThePortComesBackInTimeThenWorkGoesOn() {
        a.retryCount = 7;
        End.connect(a, b);
        write(0);
        a.expect(0, WorkCompletionStatus.SUCCESS);
        faults.setPortState(1, PortState.DOWN);
        write(1);
        assertThat(a.poll(Duration.ofMillis(50))).isFalse();
        faults.setPortState(1, PortState.ACTIVE);
        a.expect(1, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void whenTheGidTableChangesThenAnEventTells() {
        Gid other = Gid.parse("fd93:0000:0000:0000:0000:0000:0000:0001");
        faults.setGidTable(1, List.of(new GidEntry(3, other, GidType.ROCE_V2, "eth9")));
        assertThat(a.event().type()).isEqualTo(AsyncEventType.GID_CHANGE);
        assertThat(a.context.queryGidTable(1)).singleElement().satisfies(entry -> {
            assertThat(entry.index()).isEqualTo(3);
            assertThat(entry.gid()).isEqualTo(other);
        });
        assertThatThrownBy(() -> End.connect(a, b)).hasMessageContaining("GID index 0");
    }
}

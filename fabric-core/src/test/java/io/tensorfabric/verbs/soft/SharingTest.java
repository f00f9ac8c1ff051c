package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.memory.SharedHostMemoryProvider;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.offheap.SharedBlock;
import io.tensorfabric.offheap.SharedMemory;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Bytes that the responder copies from the requester's memory, both being on one host. */
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class SharingTest {

    private static final int SIZE = 8 << 20;

    private final MemoryProvider shared = new SharedHostMemoryProvider();

    private SoftFaults faultsOfB;

    private End a;

    private End b;

    @BeforeEach
    void connect() {
        faultsOfB = new SoftFaults();
        a = new End(SoftDeviceOptions.defaults(), SIZE, shared);
        b = new End(SoftDeviceOptions.defaults().withFaults(faultsOfB), SIZE);
        End.connect(a, b);
    }

    @AfterEach
    void close() {
        faultsOfB.clear();
        a.close();
        b.close();
    }

    private static Engine engine(End end) {
        return ((SoftContext) end.context).engine();
    }

    private static long copied(End end) {
        return engine(end).sharedBytes().sum();
    }

    /** Writes until the responder has mapped the memory. */
    private void awaitSharing() {
        long before = copied(b);
        await().until(() -> {
            a.post(1, Opcode.RDMA_WRITE, 0, 5000, b, 0);
            a.expect(1, WorkCompletionStatus.SUCCESS);
            return copied(b) > before;
        });
    }

    @Test
    void whenTheFirstBytesWentThroughTheSocketThenLaterOnesAreCopiedInPlace() {
        awaitSharing();
        long before = copied(b);
        a.fill(0, SIZE, 7);
        a.post(2, Opcode.RDMA_WRITE, 1001, 4_000_003, b, 2003);
        a.expect(2, WorkCompletionStatus.SUCCESS);
        assertThat(copied(b) - before).isEqualTo(4_000_003);
        for (long i = 0; i < 4_000_003; i++) {
            assertThat(OffHeap.getByte(b.memory + 2003 + i)).isEqualTo((byte) ((i + 1001) * 31 + 7));
        }
    }

    @Test
    void whenAMessageHasSeveralElementsThenItArrivesAsOne() {
        awaitSharing();
        a.fill(0, SIZE, 3);
        b.receive(9, 0, 300_000);
        a.sends
                .clear()
                .add(3, Opcode.SEND)
                .flags(SendFlag.SIGNALED)
                .local(a.memory + 100_000, 100_000, a.region.lkey())
                .local(a.memory, 100_000, a.region.lkey());
        assertThat(a.pair.postSend(a.sends)).isEqualTo(1);
        a.expect(3, WorkCompletionStatus.SUCCESS);
        b.expect(9, WorkCompletionStatus.SUCCESS);
        for (int i = 0; i < 200_000; i++) {
            int from = i < 100_000 ? 100_000 + i : i - 100_000;
            assertThat(OffHeap.getByte(b.memory + i)).isEqualTo((byte) (from * 31 + 3));
        }
    }

    @Test
    void whenTheRemoteKeyIsWrongThenNothingIsWritten() {
        awaitSharing();
        OffHeap.fill(b.memory, SIZE, (byte) 0);
        a.sends
                .clear()
                .add(4, Opcode.RDMA_WRITE)
                .flags(SendFlag.SIGNALED)
                .remote(b.memory, b.region.rkey() + 1)
                .local(a.memory, 100_000, a.region.lkey());
        a.pair.postSend(a.sends);
        a.expect(4, WorkCompletionStatus.REM_ACCESS_ERR);
        b.assertUntouched(0, SIZE);
    }

    @Test
    void whenTheSecondEndIsNotTheFirstOnesMemoryThenItIsSentAsEver() {
        b.fill(0, SIZE, 5);
        long before = copied(a);
        for (int i = 0; i < 5; i++) {
            b.post(i, Opcode.RDMA_WRITE, 0, 100_000, a, 0);
            b.expect(i, WorkCompletionStatus.SUCCESS);
        }
        a.assertFilled(0, 100_000, 5);
        assertThat(copied(a)).isEqualTo(before);
    }

    @Test
    void whenTheConnectionBreaksThenTheMemoryIsAnnouncedAgain() {
        awaitSharing();
        faultsOfB.disconnect();
        awaitSharing();
        assertThat(engine(b).sharedSources().size()).isEqualTo(2);
        faultsOfB.traffic().dropAcks(1);
        a.post(5, Opcode.RDMA_WRITE, 0, 100_000, b, 0);
        a.expect(5, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void whenTheQueuePairIsInErrorThenItsMemoryIsMappedNoMore() {
        awaitSharing();
        a.modify(QueuePairState.ERR);
        await().until(() -> engine(b).sharedSources().size() == 0);
    }

    @Test
    void whenARegionIsClosedUnderAWriteThenNobodyReadsItAnyMore() {
        awaitSharing();
        faultsOfB.traffic().stallAcks(true);
        a.post(6, Opcode.RDMA_WRITE, 0, 1 << 20, b, 0);
        a.region.close();
        faultsOfB.traffic().stallAcks(false);
        assertThat(a.poll(Duration.ofSeconds(10))).isTrue();
        assertThat(a.completions.status(0)).isIn(WorkCompletionStatus.SUCCESS, WorkCompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void whenTheRequesterHasRevokedThenACopyThatCameTooLateIsNotTakenIn() throws Exception {
        SharingControl control = new SharingControl();
        SharedSources sources = new SharedSources();
        Sharing sharing = new Sharing(control);
        SourceTable table = new SourceTable(sources);
        long memory = shared.allocate(10_000, 4096);
        try {
            announceAll(sharing, table, memory);
            assertThatCode(table::checkCurrent).doesNotThrowAnyException();
            sharing.revoke();
            assertThatThrownBy(table::checkCurrent).isInstanceOf(Wire.ProtocolException.class);
            assertThatThrownBy(() -> table.locate(1, 100, 50))
                    .as("another copy")
                    .isInstanceOf(Wire.ProtocolException.class);
            // Whoever has the same word next has another value in it.
            Sharing next = new Sharing(control);
            announceAll(next, new SourceTable(sources), memory);
            assertThatThrownBy(table::checkCurrent).isInstanceOf(Wire.ProtocolException.class);
            next.revoke();
        } finally {
            table.clear();
            shared.free(memory);
            control.close();
        }
    }

    private static void announceAll(Sharing sharing, SourceTable table, long memory) throws Exception {
        SharedBlock block = SharedMemory.find(memory, 1);
        sharing.connected(true);
        table.connected(true);
        assertThat(sharing.numberOf(block)).isEqualTo(-1);
        ByteBuffer wire = ByteBuffer.allocate(1000).order(ByteOrder.BIG_ENDIAN);
        sharing.stageAnnouncements(wire);
        wire.flip();
        while (wire.hasRemaining()) {
            wire.get();
            boolean opened = table.read(wire);
            assertThat(opened).isTrue();
            sharing.answered(table.last(), opened);
        }
        assertThat(sharing.numberOf(block)).isEqualTo(1);
        assertThat(table.locate(1, 100, 50)).isNotZero();
        assertThatThrownBy(() -> table.locate(1, 1 << 20, 1)).isInstanceOf(Wire.ProtocolException.class);
        assertThatThrownBy(() -> table.locate(1, -1, 1)).isInstanceOf(Wire.ProtocolException.class);
        assertThatThrownBy(() -> table.locate(0, 0, 1)).isInstanceOf(Wire.ProtocolException.class);
        assertThatThrownBy(() -> table.locate(2, 0, 1)).isInstanceOf(Wire.ProtocolException.class);
    }

    @Test
    void whenTheOtherEndIsOnAnotherHostThenNothingIsAnnouncedAndNothingIsTaken() throws Exception {
        Sharing sharing = new Sharing(new SharingControl());
        long memory = shared.allocate(10_000, 4096);
        try {
            sharing.connected(false);
            assertThat(sharing.numberOf(SharedMemory.find(memory, 1))).isEqualTo(-1);
            ByteBuffer wire = ByteBuffer.allocate(1000);
            sharing.stageAnnouncements(wire);
            assertThat(wire.position()).isZero();
        } finally {
            shared.free(memory);
        }
    }
}

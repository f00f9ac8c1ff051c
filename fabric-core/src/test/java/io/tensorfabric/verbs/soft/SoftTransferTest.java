package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.WorkCompletionOpcode;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.WorkCompletions;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SoftTransferTest {

    private static final long SIZE = 16 << 20;

    private End a;
    private End b;

    @BeforeEach
    void connect() {
        a = new End(SoftDeviceOptions.defaults().withName("softA"), SIZE);
        b = new End(SoftDeviceOptions.defaults().withName("softB"), SIZE);
        End.connect(a, b);
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, 4096, 4097, 65_536, 1 << 20, (1 << 20) + 1, 10_000_001})
    void whenWrittenThenReadBackThenEveryByteIsThere(long length) {
        a.fill(3, length, 5);
        a.post(1, Opcode.RDMA_WRITE, 3, length, b, 11);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        b.assertFilled(11, length, 5);
        a.fill(3, length, 77);
        a.post(2, Opcode.RDMA_READ, 3, length, b, 11);
        a.expect(2, WorkCompletionStatus.SUCCESS);
        assertThat(a.completions.opcodeCode(0)).isEqualTo(WorkCompletionOpcode.RDMA_READ.code());
        a.assertFilled(3, length, 5);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4096, 70_000, 3_000_000})
    void whenSentThenTheReceiveCompletes(long length) {
        b.receive(9, 100, (int) length);
        a.fill(0, length, 3);
        a.post(1, Opcode.SEND, 0, length, b, 0);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.completions.byteLength(0)).isEqualTo((int) length);
        b.assertFilled(100, length, 3);
    }

    @Test
    void whenWrittenWithImmediateThenTheReceiverGetsIt() {
        b.receive(9, 0, 0);
        a.fill(0, 64, 1);
        a.sends
                .clear()
                .add(1, Opcode.RDMA_WRITE_WITH_IMM)
                .flags(SendFlag.SIGNALED)
                .immediate(0xcafe)
                .remote(b.memory + 64, b.region.rkey())
                .local(a.memory, 64, a.region.lkey());
        a.pair.postSend(a.sends);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.completions.immediate(0)).isEqualTo(0xcafe);
        assertThat(b.completions.flags(0)).isEqualTo(WorkCompletions.FLAG_WITH_IMMEDIATE);
        assertThat(b.completions.byteLength(0)).isEqualTo(64);
        b.assertFilled(64, 64, 1);
    }

    @Test
    void whenNothingIsReceivedThenTheSenderWaits() {
        a.post(1, Opcode.SEND, 0, 2_000_000, b, 0);
        a.post(2, Opcode.SEND, 0, 10, b, 0);
        assertThat(a.poll(Duration.ofMillis(50))).isFalse();
        b.receive(8, 0, 2_000_000);
        b.receive(9, 0, 10);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        a.expect(2, WorkCompletionStatus.SUCCESS);
        b.expect(8, WorkCompletionStatus.SUCCESS);
        b.expect(9, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void whenOneQueuePairStreamsThenAnotherIsNotHeldUp() {
        try (End smallA = new End(a, 4096);
                End smallB = new End(b, 4096)) {
            End.connect(smallA, smallB);
            smallA.post(0, Opcode.RDMA_WRITE, 0, 8, smallB, 0);
            smallA.expect(0, WorkCompletionStatus.SUCCESS);
            int large = 60;
            for (int i = 0; i < large; i++) {
                a.post(i, Opcode.RDMA_WRITE, 0, SIZE, b, 0);
            }
            for (int i = 1; i <= 20; i++) {
                smallA.post(i, Opcode.RDMA_WRITE, 0, 8, smallB, 0);
                smallA.expect(i, WorkCompletionStatus.SUCCESS);
            }
            int before = 0;
            while (a.queue.poll(a.completions) > 0) {
                before++;
            }
            assertThat(before).as("large writes done before twenty small ones").isLessThan(large / 2);
            for (int i = before; i < large; i++) {
                a.expect(i, WorkCompletionStatus.SUCCESS);
            }
        }
    }

    @Test
    void whenAQueuePairIsConnectedToItselfThenItWorks() {
        try (End self = new End(SoftDeviceOptions.defaults().withName("softSelf"), 8192)) {
            self.init();
            self.readyToReceive(End.pathTo(self.pair, self.context), self.pair.number(), 5);
            self.readyToSend(5);
            self.fill(0, 4096, 6);
            self.post(1, Opcode.RDMA_WRITE, 0, 4096, self, 4096);
            self.expect(1, WorkCompletionStatus.SUCCESS);
            self.assertFilled(4096, 4096, 6);
            self.sends
                    .clear()
                    .add(2, Opcode.RDMA_WRITE)
                    .remote(self.memory + 8192, self.region.rkey())
                    .local(self.memory, 1, self.region.lkey());
            self.pair.postSend(self.sends);
            // Its responding half may be in error, and flush it, before its requesting half learns why.
            assertThat(self.poll(Duration.ofSeconds(10))).isTrue();
            assertThat(self.completions.status(0))
                    .isIn(WorkCompletionStatus.REM_ACCESS_ERR, WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(self.pair.state()).isEqualTo(QueuePairState.ERR);
        }
    }

    @Test
    void whenAMappedFileIsTruncatedUnderASendThenItFailsHere(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("tensor");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4 << 20);
            long address = OffHeap.addressOf(mapped);
            MemoryRegion region = a.domain.registerMemory(address, 4 << 20, End.ALL);
            channel.truncate(0);
            a.sends
                    .clear()
                    .add(1, Opcode.RDMA_WRITE)
                    .remote(b.memory, b.region.rkey())
                    .local(address, 4 << 20, region.lkey());
            a.pair.postSend(a.sends);
            a.expect(1, WorkCompletionStatus.LOC_PROT_ERR);
            assertThat(a.pair.state()).isEqualTo(QueuePairState.ERR);
            region.close();
        }
    }

    @Test
    void whenAMappedFileIsTruncatedUnderAReceiverThenItRefuses(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("tensor");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4 << 20);
            long address = OffHeap.addressOf(mapped);
            MemoryRegion region = b.domain.registerMemory(address, 4 << 20, End.ALL);
            channel.truncate(0);
            a.sends
                    .clear()
                    .add(1, Opcode.RDMA_WRITE)
                    .remote(address, region.rkey())
                    .local(a.memory, 4 << 20, a.region.lkey());
            a.pair.postSend(a.sends);
            a.expect(1, WorkCompletionStatus.REM_OP_ERR);
            assertThat(b.pair.state()).isEqualTo(QueuePairState.ERR);
            region.close();
        }
    }

    @Test
    void whenTheKeyIsWrongThenBothEndsGoToError() {
        b.receive(9, 0, 64);
        a.sends
                .clear()
                .add(1, Opcode.RDMA_WRITE)
                .remote(b.memory, b.region.lkey())
                .local(a.memory, 64, a.region.lkey());
        a.pair.postSend(a.sends);
        a.expect(1, WorkCompletionStatus.REM_ACCESS_ERR);
        assertThat(a.pair.state()).isEqualTo(QueuePairState.ERR);
        assertThat(b.pair.state()).isEqualTo(QueuePairState.ERR);
        b.expect(9, WorkCompletionStatus.WR_FLUSH_ERR);
        a.post(2, Opcode.RDMA_WRITE, 0, 64, b, 0);
        a.expect(2, WorkCompletionStatus.WR_FLUSH_ERR);
    }
}

package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.offheap.OffHeap;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The layout that providers read. */
class RequestListsTest {

    private long allocatedBefore;

    @BeforeEach
    void remember() {
        allocatedBefore = OffHeap.allocatedBytes();
    }

    @AfterEach
    void checkLeaks() {
        assertThat(OffHeap.allocatedBytes()).isEqualTo(allocatedBefore);
    }

    @Test
    void whenSendIsFilledThenFieldsLieAtTheDocumentedOffsets() {
        try (SendRequests list = SendRequests.allocate(2)) {
            list.add(1, Opcode.SEND);
            list.add(0x1122334455667788L, Opcode.RDMA_WRITE_WITH_IMM)
                    .flags(SendFlag.SIGNALED | SendFlag.SOLICITED)
                    .immediate(0xcafebabe)
                    .remote(0x7000_0000_1234L, 0x8badf00d)
                    .local(0x1000, 16, 0x10)
                    .local(0x2000, -1, 0x20);
            long request = list.address() + 128;
            assertThat(OffHeap.getLong(request)).isEqualTo(0x1122334455667788L);
            assertThat(OffHeap.getInt(request + 8)).isEqualTo(1);
            assertThat(OffHeap.getInt(request + 12)).isEqualTo(6);
            assertThat(OffHeap.getInt(request + 16)).isEqualTo(0xcafebabe);
            assertThat(OffHeap.getInt(request + 20)).isEqualTo(2);
            assertThat(OffHeap.getLong(request + 24)).isEqualTo(0x7000_0000_1234L);
            assertThat(OffHeap.getInt(request + 32)).isEqualTo(0x8badf00d);
            assertThat(OffHeap.getInt(request + 36)).isZero();
            assertThat(OffHeap.getLong(request + 40)).isEqualTo(0x1000);
            assertThat(OffHeap.getInt(request + 48)).isEqualTo(16);
            assertThat(OffHeap.getInt(request + 52)).isEqualTo(0x10);
            assertThat(OffHeap.getLong(request + 56)).isEqualTo(0x2000);
            assertThat(OffHeap.getInt(request + 64)).isEqualTo(-1);
            assertThat(OffHeap.getInt(request + 68)).isEqualTo(0x20);
            assertThat(list.size()).isEqualTo(2);
        }
    }

    @Test
    void whenBindIsFilledThenFieldsLieAtTheDocumentedOffsets() {
        try (SendRequests list = SendRequests.allocate(1)) {
            list.add(5, Opcode.BIND_MW).bindWindow(new FixedWindow(), new FixedRegion(), 0x4000, 1L << 33, 0x901, 6);
            long request = list.address();
            assertThat(OffHeap.getInt(request + 8)).isEqualTo(8);
            assertThat(OffHeap.getLong(request + 40)).isEqualTo(0xabcdL);
            assertThat(OffHeap.getLong(request + 48)).isEqualTo(0x4000);
            assertThat(OffHeap.getLong(request + 56)).isEqualTo(1L << 33);
            assertThat(OffHeap.getInt(request + 64)).isEqualTo(0x77);
            assertThat(OffHeap.getInt(request + 68)).isEqualTo(0x901);
            assertThat(OffHeap.getInt(request + 72)).isEqualTo(6);
            assertThat(OffHeap.getLong(request + 80)).isEqualTo(0xfeedL);
        }
    }

    @Test
    void whenReceiveIsFilledThenFieldsLieAtTheDocumentedOffsets() {
        try (ReceiveRequests list = ReceiveRequests.allocate(2)) {
            list.add(1);
            list.add(Long.MIN_VALUE).local(0x1000, 16, 0x10).local(0x2000, 32, 0x20);
            long request = list.address() + 80;
            assertThat(OffHeap.getLong(request)).isEqualTo(Long.MIN_VALUE);
            assertThat(OffHeap.getInt(request + 8)).isEqualTo(2);
            assertThat(OffHeap.getInt(request + 12)).isZero();
            assertThat(OffHeap.getLong(request + 16)).isEqualTo(0x1000);
            assertThat(OffHeap.getInt(request + 24)).isEqualTo(16);
            assertThat(OffHeap.getInt(request + 28)).isEqualTo(0x10);
            assertThat(OffHeap.getLong(request + 32)).isEqualTo(0x2000);
            assertThat(OffHeap.getInt(request + 40)).isEqualTo(32);
            assertThat(OffHeap.getInt(request + 44)).isEqualTo(0x20);
        }
    }

    @Test
    void whenCompletionIsWrittenThenItsGettersReadTheDocumentedOffsets() {
        try (WorkCompletions completions = WorkCompletions.allocate(2)) {
            long completion = completions.address() + 48;
            OffHeap.putLong(completion, 0x1122334455667788L);
            OffHeap.putInt(completion + 8, 10);
            OffHeap.putInt(completion + 12, 129);
            OffHeap.putInt(completion + 16, 0x51);
            OffHeap.putInt(completion + 20, 4096);
            OffHeap.putInt(completion + 24, -7);
            OffHeap.putInt(completion + 28, 0xfffff0);
            OffHeap.putInt(completion + 36, 2);
            assertThat(completions.id(1)).isEqualTo(0x1122334455667788L);
            assertThat(completions.statusCode(1)).isEqualTo(10);
            assertThat(completions.status(1)).isSameAs(WorkCompletionStatus.REM_ACCESS_ERR);
            assertThat(completions.opcodeCode(1)).isEqualTo(129);
            assertThat(completions.vendorError(1)).isEqualTo(0x51);
            assertThat(completions.byteLength(1)).isEqualTo(4096);
            assertThat(completions.immediate(1)).isEqualTo(-7);
            assertThat(completions.queuePairNumber(1)).isEqualTo(0xfffff0);
            assertThat(completions.flags(1)).isEqualTo(WorkCompletions.FLAG_WITH_IMMEDIATE);
            assertThat(completions.id(0)).isZero();
        }
    }

    @Test
    void whenIndexIsOutsideThenRefused() {
        try (WorkCompletions completions = WorkCompletions.allocate(2)) {
            assertThatThrownBy(() -> completions.id(2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> completions.status(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void whenARequestIsAddedAgainThenNothingOfTheOldIsLeft() {
        try (SendRequests list = SendRequests.allocate(1)) {
            list.add(1, Opcode.RDMA_WRITE)
                    .flags(7)
                    .immediate(7)
                    .remote(7, 7)
                    .local(7, 7, 7)
                    .local(7, 7, 7);
            list.clear().add(2, Opcode.SEND);
            assertThat(OffHeap.getLong(list.address())).isEqualTo(2);
            for (int offset = 12; offset < SendRequests.STRIDE; offset += 4) {
                assertThat(OffHeap.getInt(list.address() + offset))
                        .as("offset %d", offset)
                        .isZero();
            }
        }
        try (ReceiveRequests list = ReceiveRequests.allocate(1)) {
            OffHeap.fill(list.address(), ReceiveRequests.STRIDE, (byte) -1);
            list.clear().add(3);
            assertThat(OffHeap.getLong(list.address())).isEqualTo(3);
            for (int offset = 8; offset < ReceiveRequests.STRIDE; offset += 4) {
                assertThat(OffHeap.getInt(list.address() + offset))
                        .as("offset %d", offset)
                        .isZero();
            }
        }
    }

    @Test
    void whenTheListIsFullThenAddingIsRefused() {
        try (SendRequests sends = SendRequests.allocate(1);
                ReceiveRequests receives = ReceiveRequests.allocate(1)) {
            sends.add(1, Opcode.SEND);
            receives.add(1);
            assertThatIllegalStateException().isThrownBy(() -> sends.add(2, Opcode.SEND));
            assertThatIllegalStateException().isThrownBy(() -> receives.add(2));
            assertThat(sends.capacity()).isEqualTo(1);
            assertThat(receives.capacity()).isEqualTo(1);
        }
    }

    @Test
    void whenAllElementsAreUsedThenAnotherIsRefused() {
        try (SendRequests sends = SendRequests.allocate(1);
                ReceiveRequests receives = ReceiveRequests.allocate(1)) {
            sends.add(1, Opcode.SEND);
            receives.add(1);
            for (int i = 0; i < 4; i++) {
                sends.local(1, 1, 1);
                receives.local(1, 1, 1);
            }
            assertThatIllegalStateException().isThrownBy(() -> sends.local(1, 1, 1));
            assertThatIllegalStateException().isThrownBy(() -> receives.local(1, 1, 1));
        }
    }

    @Test
    void whenNoRequestIsOpenThenSettersAreRefused() {
        try (SendRequests sends = SendRequests.allocate(1);
                ReceiveRequests receives = ReceiveRequests.allocate(1)) {
            assertThatIllegalStateException().isThrownBy(() -> sends.flags(1));
            sends.add(1, Opcode.SEND);
            sends.clear();
            assertThatIllegalStateException().isThrownBy(() -> sends.local(1, 1, 1));
            assertThatIllegalStateException().isThrownBy(() -> receives.local(1, 1, 1));
        }
    }

    @Test
    void whenClosedThenEveryUseIsRefusedAndClosingAgainIsHarmless() {
        SendRequests sends = SendRequests.allocate(1).add(1, Opcode.SEND);
        ReceiveRequests receives = ReceiveRequests.allocate(1).add(1);
        WorkCompletions completions = WorkCompletions.allocate(1);
        for (int i = 0; i < 2; i++) {
            sends.close();
            receives.close();
            completions.close();
        }
        assertThatIllegalStateException().isThrownBy(() -> sends.add(1, Opcode.SEND));
        assertThatIllegalStateException().isThrownBy(() -> sends.flags(1));
        assertThatIllegalStateException().isThrownBy(() -> sends.immediate(1));
        assertThatIllegalStateException().isThrownBy(() -> sends.remote(1, 1));
        assertThatIllegalStateException().isThrownBy(() -> sends.local(1, 1, 1));
        assertThatIllegalStateException().isThrownBy(sends::address);
        assertThatIllegalStateException().isThrownBy(sends::clear);
        assertThatIllegalStateException().isThrownBy(() -> receives.local(1, 1, 1));
        assertThatIllegalStateException().isThrownBy(receives::address);
        assertThatIllegalStateException().isThrownBy(completions::address);
        assertThatIllegalStateException().isThrownBy(() -> completions.id(0));
    }

    @Test
    void whenCapacityIsNotPositiveThenRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> SendRequests.allocate(0));
        assertThatIllegalArgumentException().isThrownBy(() -> ReceiveRequests.allocate(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> WorkCompletions.allocate(0));
    }

    @Test
    void whenWindowKeyIsIncrementedThenOnlyItsLowByteChanges() {
        FixedWindow window = new FixedWindow();
        window.rkey = 0x123456fe;
        assertThat(window.nextRkey()).isEqualTo(0x123456ff);
        window.rkey = 0x123456ff;
        assertThat(window.nextRkey()).isEqualTo(0x12345600);
        window.rkey = 0xffffffff;
        assertThat(window.nextRkey()).isEqualTo(0xffffff00);
    }

    private static final class FixedWindow implements MemoryWindow {

        private int rkey = 0x900;

        @Override
        public long handle() {
            return 0xabcdL;
        }

        @Override
        public int rkey() {
            return rkey;
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void close() {}
    }

    private static final class FixedRegion implements MemoryRegion {

        @Override
        public long handle() {
            return 0xfeedL;
        }

        @Override
        public long address() {
            return 0x4000;
        }

        @Override
        public long length() {
            return 1L << 34;
        }

        @Override
        public Set<AccessFlag> access() {
            return Set.of();
        }

        @Override
        public int lkey() {
            return 0x77;
        }

        @Override
        public int rkey() {
            return 0x78;
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void close() {}
    }
}

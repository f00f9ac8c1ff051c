package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA WRITE with immediate. */
abstract class WriteWithImmediateContract extends ContractGroup {

    WriteWithImmediateContract(VerbsContractTest subject) {
        super(subject);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, -1, 0x01020304, Integer.MIN_VALUE, 0x80000001})
    void whenWrittenWithImmediateThenTheReceiverGetsItsValueInHostOrder(int immediate) {
        Link link = link();
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        link.b().receive(5, target.slice(0, 0));
        link.a().writeWithImmediate(1, source.all(), target.all(), immediate);
        assertThat(link.a().awaitSent(1).isOf(WorkCompletionOpcode.RDMA_WRITE)).isTrue();
        Completion received = link.b().awaitReceived(5);
        assertThat(received.isOf(WorkCompletionOpcode.RECV_RDMA_WITH_IMM)).isTrue();
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(immediate);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096, 4097, 300_001})
    void whenWrittenWithImmediateThenTheReceiverLearnsTheLength(int length) {
        Link link = link();
        Buffer source = left.buffer(length + 1).fill(1);
        Buffer target = right.buffer(length + 1);
        link.b().receive(5);
        link.a().writeWithImmediate(1, source.slice(0, length), target.slice(0, length), 9);
        link.a().awaitSent(1);
        Completion received = link.b().awaitReceived(5);
        assertThat(received.length()).isEqualTo(length);
        assertThat(received.immediate()).isEqualTo(9);
        assertThat(target.bytes(0, length)).isEqualTo(source.bytes(0, length));
        assertThat(target.contains(length, 1, 0)).isTrue();
    }

    @Test
    void whenTheReceiveHasABufferThenItIsNotTouched() {
        Link link = link();
        Buffer target = right.buffer(64);
        Buffer posted = right.buffer(64).fillWith(8);
        link.b().receive(5, posted.all());
        link.a().writeWithImmediate(1, left.buffer(64).fill(1).all(), target.all(), 9);
        link.b().awaitReceived(5);
        assertThat(posted.contains(0, 64, 8)).isTrue();
    }

    @Test
    void whenManyAreWrittenThenEachTakesOneReceiveInOrder() {
        Link link = link();
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        link.b().receives(100, 60, target.all());
        for (int i = 0; i < 60; i++) {
            link.a().writeWithImmediate(i, source.all(), target.all(), 1000 + i);
        }
        link.a().awaitSends(60);
        for (int i = 0; i < 60; i++) {
            assertThat(link.b().awaitReceived(100 + i).immediate()).isEqualTo(1000 + i);
        }
        link.b().assertQuiet();
    }

    @Test
    void whenNoReceiveIsPostedThenTheWriteWaitsForOne() {
        Link link = link(new Connection().rnrRetry(7));
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        link.a().writeWithImmediate(1, source.all(), target.all(), 4);
        link.a().assertQuiet();
        link.b().receive(5);
        link.a().awaitSent(1);
        assertThat(link.b().awaitReceived(5).immediate()).isEqualTo(4);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenTheImmediateHasArrivedThenEarlierWritesAreVisible() {
        Link link = link();
        Buffer source = left.buffer(200_000);
        Buffer target = right.buffer(200_000);
        for (int round = 1; round <= 20; round++) {
            source.fillWith(round);
            link.b().receive(round);
            int id = round;
            link.a().post(list -> {
                Endpoint.addWrite(list, 0, source.all(), target.all(), 0);
                list.add(id, Opcode.RDMA_WRITE_WITH_IMM)
                        .flags(SendFlag.SIGNALED)
                        .immediate(id)
                        .remote(target.address(), target.region().rkey());
            });
            link.b().awaitReceived(round);
            assertThat(target.contains(0, 200_000, round)).as("round %d", round).isTrue();
            link.a().awaitSent(round);
        }
    }
}

package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SEND and receives. */
abstract class SendContract extends ContractGroup {

    SendContract(VerbsContractTest subject) {
        super(subject);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 4096, 4097, 1_100_000})
    void whenSentThenTheReceiverHasTheDataAndItsLength(int length) {
        Link link = link();
        Buffer source = left.buffer(length + 1).fill(1);
        Buffer target = right.buffer(length + 65).fillWith(0x77);
        link.b().receive(5, target.slice(0, length + 64));
        link.a().send(1, source.slice(0, length));
        assertThat(link.a().awaitSent(1).isOf(WorkCompletionOpcode.SEND)).isTrue();
        Completion received = link.b().awaitReceived(5);
        assertThat(received.isOf(WorkCompletionOpcode.RECV)).isTrue();
        assertThat(received.length()).isEqualTo(length);
        assertThat(received.hasImmediate()).isFalse();
        assertThat(target.bytes(0, length)).isEqualTo(source.bytes(0, length));
        assertThat(target.contains(length, 65, 0x77))
                .as("the rest of the receive")
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, -559038737})
    void whenSentWithImmediateThenTheReceiverHasItsValue(int immediate) {
        Link link = link();
        Buffer source = left.buffer(100).fill(1);
        Buffer target = right.buffer(100);
        link.b().receive(5, target.all());
        link.a().sendWithImmediate(1, source.all(), immediate);
        Completion received = link.b().awaitReceived(5);
        assertThat(received.isOf(WorkCompletionOpcode.RECV)).isTrue();
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(immediate);
        assertThat(target.bytes()).isEqualTo(source.bytes());
        link.a().awaitSent(1);
    }

    @Test
    void whenTheReceiveFitsExactlyThenItSucceeds() {
        Link link = link();
        Buffer source = left.buffer(9000).fill(1);
        Buffer target = right.buffer(9000);
        link.b().receive(5, target.all());
        link.a().send(1, source.all());
        assertThat(link.b().awaitReceived(5).length()).isEqualTo(9000);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenTheReceiveHasSeveralElementsThenTheMessageIsScattered() {
        Link link = link();
        Buffer source = left.buffer(9000).fill(1);
        Buffer first = right.buffer(100);
        Buffer second = right.buffer(7000);
        Buffer third = right.buffer(5000).fillWith(3);
        link.b().receive(5, first.all(), second.all(), second.slice(0, 0), third.all());
        link.a().send(1, source.all());
        assertThat(link.b().awaitReceived(5).length()).isEqualTo(9000);
        assertThat(first.bytes()).isEqualTo(source.bytes(0, 100));
        assertThat(second.bytes()).isEqualTo(source.bytes(100, 7000));
        assertThat(third.bytes(0, 1900)).isEqualTo(source.bytes(7100, 1900));
        assertThat(third.contains(1900, 3100, 3)).isTrue();
    }

    @Test
    void whenGatheredAndScatteredDifferentlyThenTheBytesKeepTheirOrder() {
        Link link = link();
        Buffer source = left.buffer(6000).fill(1);
        Buffer target = right.buffer(6000);
        link.b().receive(5, target.slice(0, 1), target.slice(1, 4999), target.slice(5000, 1000));
        link.a()
                .post(list -> list.add(1, Opcode.SEND)
                        .flags(SendFlag.SIGNALED)
                        .local(source.address(), 3000, source.region().lkey())
                        .local(source.address() + 3000, 2999, source.region().lkey())
                        .local(source.address() + 5999, 1, source.region().lkey()));
        link.b().awaitReceived(5);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenTheReceiveIsTooShortThenBothEndsFail() {
        Link link = link();
        Buffer target = right.buffer(100).fillWith(0);
        link.b().receive(5, target.slice(0, 16));
        link.b().receive(6, target.slice(0, 100));
        link.a().send(1, left.buffer(100).fillWith(1).all());
        Completion sent = link.a().awaitSend();
        assertThat(sent.id()).isEqualTo(1);
        assertThat(sent.status()).isIn(subject.shortReceiveSenderStatuses());
        Completion received = link.b().awaitReceive();
        assertThat(received.id()).isEqualTo(5);
        assertThat(received.status()).isIn(subject.shortReceiveStatuses());
        assertThat(target.contains(16, 84, 0)).as("bytes past the receive").isTrue();
        link.a().awaitState(QueuePairState.ERR);
        link.b().awaitState(QueuePairState.ERR);
        Completion flushed = link.b().awaitReceive();
        assertThat(flushed.id()).isEqualTo(6);
        assertThat(flushed.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void whenTheReceiveBufferMayNotBeWrittenThenBothEndsFail() {
        Link link = link();
        Buffer target = right.buffer(100, AccessFlag.REMOTE_READ);
        link.b().receive(5, target.all());
        link.a().send(1, left.buffer(100).fillWith(1).all());
        Completion received = link.b().awaitReceive();
        assertThat(received.id()).isEqualTo(5);
        assertThat(received.status()).isIn(subject.localProtectionStatuses());
        link.a().awaitFailure(1, WorkCompletionStatus.REM_OP_ERR);
        assertThat(target.contains(0, 100, 0)).isTrue();
        link.b().awaitState(QueuePairState.ERR);
    }

    @Test
    void whenAThousandMessagesAreSentThenTheyArriveInOrder() {
        Link link = link(new Connection().rnrRetry(7));
        Buffer source = left.buffer(1000 * 8);
        Buffer target = right.buffer(50 * 8);
        for (int i = 0; i < 1000; i++) {
            source.put(i * 8, new byte[] {(byte) i, (byte) (i >> 8), 0, 0, 0, 0, 0, 1});
        }
        for (int batch = 0; batch < 20; batch++) {
            int first = batch * 50;
            link.b().postReceives(list -> {
                for (int i = 0; i < 50; i++) {
                    list.add(first + i)
                            .local(target.address() + i * 8, 8, target.region().lkey());
                }
            });
            link.a().post(list -> {
                for (int i = 0; i < 50; i++) {
                    Endpoint.addSend(
                            list, first + i, source.slice((first + i) * 8, 8), i == 49 ? SendFlag.SIGNALED : 0);
                }
            });
            for (int i = 0; i < 50; i++) {
                link.b().awaitReceived(first + i);
            }
            link.a().awaitSent(first + 49);
            assertThat(target.bytes()).isEqualTo(source.bytes(first * 8, 50 * 8));
        }
    }

    @Test
    void whenASendFollowsAWriteThenItsArrivalMeansThatTheDataIsThere() {
        Link link = link();
        Buffer source = left.buffer(500_000);
        Buffer target = right.buffer(500_000);
        for (int round = 1; round <= 20; round++) {
            source.fillWith(round);
            int id = round;
            link.b().receive(id, target.slice(0, 0));
            link.a().post(list -> {
                Endpoint.addWrite(list, 0, source.all(), target.all(), 0);
                Endpoint.addSend(list, id, source.slice(0, 0), SendFlag.SIGNALED);
            });
            link.b().awaitReceived(id);
            assertThat(target.contains(0, 500_000, round)).as("round %d", round).isTrue();
            link.a().awaitSent(id);
        }
    }

    @Test
    void whenSendsAreInlineThenTheBufferIsFreeAtOnce() {
        Link link = link();
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(32 * 64);
        for (int i = 0; i < 32; i++) {
            link.b().receive(i, target.slice(i * 64, 64));
        }
        for (int i = 0; i < 32; i++) {
            source.fillWith(i + 1);
            link.a().send(i, source.all().withLkey(0), SendFlag.SIGNALED | SendFlag.INLINE);
            source.fillWith(0xee);
        }
        link.b().awaitReceives(32);
        for (int i = 0; i < 32; i++) {
            assertThat(target.contains(i * 64, 64, i + 1)).as("message %d", i).isTrue();
        }
        link.a().awaitSends(32);
    }
}

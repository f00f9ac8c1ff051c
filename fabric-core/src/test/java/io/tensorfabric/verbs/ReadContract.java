package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA READ. */
abstract class ReadContract extends ContractGroup {

    ReadContract(VerbsContractTest subject) {
        super(subject);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4095, 4096, 4097, 70_001, (1 << 20) + 3})
    void whenReadThenEveryByteArrivesAndNoneBesideIt(int length) {
        Link link = link();
        Buffer remote = right.buffer(length + 3).fill(1);
        Buffer local = left.buffer(length + 128).fillWith(0x77);
        link.a().read(1, local.slice(63, length), remote.slice(3, length));
        Completion completion = link.a().awaitSent(1);
        assertThat(completion.isOf(WorkCompletionOpcode.RDMA_READ)).isTrue();
        assertThat(local.bytes(63, length)).isEqualTo(remote.bytes(3, length));
        assertThat(local.contains(0, 63, 0x77)).isTrue();
        assertThat(local.contains(63 + length, 65, 0x77)).isTrue();
    }

    @Test
    void whenReadIntoSeveralElementsThenTheDataIsScattered() {
        Link link = link();
        Buffer remote = right.buffer(10_000).fill(1);
        Buffer first = left.buffer(1);
        Buffer second = left.buffer(9000);
        Buffer third = left.buffer(999);
        link.a()
                .post(list -> list.add(1, Opcode.RDMA_READ)
                        .flags(SendFlag.SIGNALED)
                        .remote(remote.address(), remote.region().rkey())
                        .local(first.address(), 1, first.region().lkey())
                        .local(second.address(), 9000, second.region().lkey())
                        .local(third.address(), 999, third.region().lkey()));
        link.a().awaitSent(1);
        assertThat(first.bytes()).isEqualTo(remote.bytes(0, 1));
        assertThat(second.bytes()).isEqualTo(remote.bytes(1, 9000));
        assertThat(third.bytes()).isEqualTo(remote.bytes(9001, 999));
    }

    @Test
    void whenMoreReadsThanTheDepthArePostedThenAllCompleteInOrder() {
        Link link = link(new Connection().readDepth(1));
        Buffer remote = right.buffer(16 * 5000).fill(1);
        Buffer local = left.buffer(16 * 5000);
        link.a().post(list -> {
            for (int i = 0; i < 16; i++) {
                Slice from = remote.slice(i * 5000, 5000);
                Endpoint.addRead(list, i, local.slice(i * 5000, 5000), from, SendFlag.SIGNALED);
            }
        });
        for (int i = 0; i < 16; i++) {
            link.a().awaitSent(i);
        }
        assertThat(local.bytes()).isEqualTo(remote.bytes());
    }

    @Test
    void whenAReadFollowsAWriteOnTheSameQueuePairThenItSeesIt() {
        Link link = link();
        Buffer source = left.buffer(50_000);
        Buffer copy = left.buffer(50_000);
        Buffer target = right.buffer(50_000);
        for (int round = 1; round <= 10; round++) {
            source.fillWith(round);
            int id = round;
            link.a().post(list -> {
                Endpoint.addWrite(list, 0, source.all(), target.all(), 0);
                Endpoint.addRead(list, id, copy.all(), target.all(), SendFlag.SIGNALED);
            });
            link.a().awaitSent(round);
            assertThat(copy.contains(0, 50_000, round)).isTrue();
        }
    }

    @Test
    void whenAWriteIsFencedThenItSendsWhatTheEarlierReadBrought() {
        Link link = link();
        Buffer remote = right.buffer(60_000).fill(1);
        Buffer relay = left.buffer(60_000);
        Buffer target = right.buffer(60_000);
        link.a().post(list -> {
            Endpoint.addRead(list, 1, relay.all(), remote.all(), 0);
            Endpoint.addWrite(list, 2, relay.all(), target.all(), SendFlag.SIGNALED | SendFlag.FENCE);
        });
        link.a().awaitSent(2);
        assertThat(target.bytes()).isEqualTo(remote.bytes());
    }

    @Test
    void whenTheLocalBufferMayNotBeWrittenThenTheReadFailsLocally() {
        Link link = link();
        Buffer remote = right.buffer(64).fill(1);
        Buffer local = left.buffer(64, AccessFlag.REMOTE_READ);
        link.a().read(1, local.all(), remote.all());
        link.a().awaitFailure(1, subject.localProtectionStatuses().toArray(WorkCompletionStatus[]::new));
        link.a().awaitState(QueuePairState.ERR);
        assertThat(local.contains(0, 64, 0)).isTrue();
    }

    @Test
    void whenThePeerServesNoReadsThenTheReadIsRefused() {
        Link link = link(new Connection().servingNoReads());
        Buffer local = left.buffer(64);
        link.a().read(1, local.all(), right.buffer(64).fill(1).all());
        link.a().awaitFailure(1, WorkCompletionStatus.REM_INV_REQ_ERR);
        link.a().awaitState(QueuePairState.ERR);
        assertThat(local.contains(0, 64, 0)).isTrue();
    }

    @Test
    void whenReadsAndWritesCrossBetweenBothEndsThenAllAreRight() {
        Link link = link();
        Buffer leftData = left.buffer(100_000).fill(1);
        Buffer leftCopy = left.buffer(100_000);
        Buffer rightData = right.buffer(100_000).fill(2);
        Buffer rightCopy = right.buffer(100_000);
        for (int i = 0; i < 8; i++) {
            link.a().read(i, leftCopy.all(), rightData.all());
            link.b().read(i, rightCopy.all(), leftData.all());
        }
        link.a().awaitSends(8);
        link.b().awaitSends(8);
        assertThat(leftCopy.bytes()).isEqualTo(rightData.bytes());
        assertThat(rightCopy.bytes()).isEqualTo(leftData.bytes());
    }
}

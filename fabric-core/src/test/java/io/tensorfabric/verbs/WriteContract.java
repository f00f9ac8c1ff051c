package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA WRITE. */
abstract class WriteContract extends ContractGroup {

    private static final int MIB = 1 << 20;

    WriteContract(VerbsContractTest subject) {
        super(subject);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {1, 7, 255, 1023, 1024, 1025, 4095, 4096, 4097, 3 * 4096 + 5, 65_536, MIB, MIB + 3, 3 * MIB + 1})
    void whenWrittenThenEveryByteArrivesAndNoneBesideIt(int length) {
        Link link = link();
        Buffer source = left.buffer(length).fill(length);
        Buffer target = right.buffer(length + 128).fillWith(0x77);
        link.a().write(1, source.all(), target.slice(64, length));
        assertThat(link.a().awaitSent(1).isOf(WorkCompletionOpcode.RDMA_WRITE)).isTrue();
        assertThat(target.bytes(64, length)).isEqualTo(source.bytes());
        assertThat(target.contains(0, 64, 0x77)).isTrue();
        assertThat(target.contains(64 + length, 64, 0x77)).isTrue();
    }

    @Test
    void whenNothingIsWrittenThenItSucceedsAndChangesNothing() {
        Link link = link();
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64).fillWith(3);
        link.a().write(1, source.slice(0, 0), target.slice(0, 0));
        link.a().awaitSent(1);
        link.a()
                .post(list -> list.add(2, Opcode.RDMA_WRITE)
                        .flags(SendFlag.SIGNALED)
                        .remote(target.address(), target.region().rkey()));
        link.a().awaitSent(2);
        assertThat(target.contains(0, 64, 3)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MTU_256", "MTU_1024"})
    void whenThePathMtuIsSmallThenMessagesOfManyPacketsArrive(Mtu mtu) {
        Link link = link(new Connection().mtu(mtu));
        Buffer source = left.buffer(100 * mtu.bytes() + 1).fill(1);
        Buffer target = right.buffer(source.length());
        link.a().write(1, source.all(), target.all());
        link.a().awaitSent(1);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenGatheredFromSeveralElementsThenTheyArriveInOrder() {
        Link link = link();
        Buffer first = left.buffer(5000).fill(1);
        Buffer second = left.buffer(3).fill(2);
        Buffer third = left.buffer(4096).fill(3);
        Buffer target = right.buffer(20_000);
        link.a()
                .post(list -> list.add(1, Opcode.RDMA_WRITE)
                        .flags(SendFlag.SIGNALED)
                        .remote(target.address() + 11, target.region().rkey())
                        .local(first.address(), 5000, first.region().lkey())
                        .local(second.address(), 3, second.region().lkey())
                        .local(third.address(), 4096, third.region().lkey())
                        .local(first.address() + 100, 1, first.region().lkey()));
        link.a().awaitSent(1);
        assertThat(target.bytes(11, 5000)).isEqualTo(first.bytes());
        assertThat(target.bytes(5011, 3)).isEqualTo(second.bytes());
        assertThat(target.bytes(5014, 4096)).isEqualTo(third.bytes());
        assertThat(target.bytes(9110, 1)).isEqualTo(first.bytes(100, 1));
        assertThat(target.contains(9111, 100, 0)).isTrue();
    }

    @Test
    void whenBothSidesAreUnalignedThenBytesArriveInPlace() {
        Link link = link();
        Buffer source = left.buffer(20_000).fill(1);
        Buffer target = right.buffer(20_000);
        for (int shift = 1; shift <= 9; shift += 2) {
            link.a().write(shift, source.slice(shift, 9999), target.slice(10 - shift, 9999));
            link.a().awaitSent(shift);
            assertThat(target.bytes(10 - shift, 9999)).isEqualTo(source.bytes(shift, 9999));
        }
    }

    @Test
    void whenAChainSignalsItsLastOnlyThenOneCompletionCoversAll() {
        Link link = link();
        Buffer source = left.buffer(64 * 100).fill(1);
        Buffer target = right.buffer(64 * 100);
        int taken = link.a().post(list -> {
            for (int i = 0; i < 64; i++) {
                int flags = i == 63 ? SendFlag.SIGNALED : 0;
                Endpoint.addWrite(list, i, source.slice(i * 100, 100), target.slice(i * 100, 100), flags);
            }
        });
        assertThat(taken).isEqualTo(64);
        link.a().awaitSent(63);
        assertThat(target.bytes()).isEqualTo(source.bytes());
        link.a().assertQuiet();
    }

    @Test
    void whenDataIsInlineThenTheBufferIsFreeAtOnceAndNeedsNoKey() {
        Link link = link();
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(100 * 64);
        for (int i = 0; i < 100; i++) {
            source.fillWith(i);
            Slice from = source.slice(0, 48).withLkey(0);
            link.a().write(i, from, target.slice(i * 64, 48), SendFlag.SIGNALED | SendFlag.INLINE);
            source.fillWith(0xee);
        }
        for (Completion completion : link.a().awaitSends(100)) {
            assertThat(completion.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(target.contains(i * 64, 48, i)).as("write %d", i).isTrue();
        }
    }

    @Test
    void whenInlineDataHasSeveralElementsThenTheyAreJoined() {
        Link link = link();
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        link.a()
                .post(list -> list.add(1, Opcode.RDMA_WRITE)
                        .flags(SendFlag.SIGNALED | SendFlag.INLINE)
                        .remote(target.address(), target.region().rkey())
                        .local(source.address(), 10, 0)
                        .local(source.address() + 10, 0, 0)
                        .local(source.address() + 10, 30, 0));
        link.a().awaitSent(1);
        assertThat(target.bytes(0, 40)).isEqualTo(source.bytes(0, 40));
    }

    @Test
    void whenWritesOverlapThenTheLaterWins() {
        Link link = link();
        Buffer source = left.buffer(8192).fill(1);
        Buffer target = right.buffer(8192);
        link.a().post(list -> {
            for (int i = 0; i < 50; i++) {
                Endpoint.addWrite(list, i, source.slice(i, 4096), target.slice(0, 4096), 0);
            }
            Endpoint.addWrite(list, 50, source.slice(50, 4096), target.slice(0, 4096), SendFlag.SIGNALED);
        });
        link.a().awaitSent(50);
        assertThat(target.bytes(0, 4096)).isEqualTo(source.bytes(50, 4096));
    }

    @Test
    void whenBothEndsWriteAtOnceThenBothArrive() {
        Link link = link();
        Buffer leftSource = left.buffer(300_000).fill(1);
        Buffer leftTarget = left.buffer(300_000);
        Buffer rightSource = right.buffer(300_000).fill(2);
        Buffer rightTarget = right.buffer(300_000);
        for (int i = 0; i < 5; i++) {
            link.a().write(i, leftSource.all(), rightTarget.all());
            link.b().write(i, rightSource.all(), leftTarget.all());
        }
        link.a().awaitSends(5);
        link.b().awaitSends(5);
        assertThat(rightTarget.bytes()).isEqualTo(leftSource.bytes());
        assertThat(leftTarget.bytes()).isEqualTo(rightSource.bytes());
    }

    @Test
    void whenSeveralQueuePairsWriteAtOnceThenEachHasItsOwnData() {
        List<Link> links = List.of(link(), link(), link(), link());
        Buffer source = left.buffer(4 * 50_000).fill(1);
        Buffer target = right.buffer(4 * 50_000);
        for (int i = 0; i < 4; i++) {
            links.get(i).a().write(i, source.slice(i * 50_000, 50_000), target.slice(i * 50_000, 50_000));
        }
        for (int i = 0; i < 4; i++) {
            links.get(i).a().awaitSent(i);
        }
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenTheReceiverIsNotInvolvedThenItHasNoCompletion() {
        Link link = link();
        Buffer target = right.buffer(64);
        link.b().receive(1, target.all());
        link.a().write(1, left.buffer(64).all(), target.all());
        link.a().awaitSent(1);
        link.b().assertQuiet();
    }
}

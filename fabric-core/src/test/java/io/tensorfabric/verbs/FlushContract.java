package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What becomes of outstanding work when a queue pair fails, is reset or closed. */
abstract class FlushContract extends ContractGroup {

    FlushContract(VerbsContractTest subject) {
        super(subject);
    }

    private static List<Long> ids(long first, int count) {
        return LongStream.range(first, first + count).boxed().toList();
    }

    private static void assertFlushed(List<Completion> completions, int number) {
        assertThat(completions)
                .allMatch(completion -> completion.status() == WorkCompletionStatus.WR_FLUSH_ERR)
                .allMatch(completion -> completion.queuePairNumber() == number);
    }

    @Test
    void whenTheTenthOfAHundredFailsThenNineSucceedAndNinetyFlushOnce() {
        Link link = link();
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(100 * 64);
        int taken = link.a().post(list -> {
            for (int i = 0; i < 100; i++) {
                Slice to = target.slice(i * 64, 64);
                Endpoint.addWrite(list, i, source.fillWith(1).all(), i == 9 ? to.withRkey(1) : to, SendFlag.SIGNALED);
            }
        });
        assertThat(taken).isEqualTo(100);
        List<Completion> completions = link.a().awaitSends(100);
        assertThat(completions).extracting(Completion::id).isEqualTo(ids(0, 100));
        assertThat(completions.subList(0, 9))
                .allMatch(completion -> completion.status() == WorkCompletionStatus.SUCCESS);
        assertThat(completions.get(9).status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        assertFlushed(completions.subList(10, 100), link.a().number());
        assertThat(target.contains(0, 9 * 64, 1)).isTrue();
        assertThat(target.contains(9 * 64, 91 * 64, 0)).isTrue();
        link.a().assertQuiet();
    }

    @Test
    void whenMovedToErrorThenWaitingSendsFlushOnceInOrderEvenIfNotSignalled() {
        Link link = link(new Connection().rnrRetry(7));
        Buffer source = left.buffer(64);
        for (int i = 0; i < 10; i++) {
            link.a().send(i, source.all(), i % 2 == 0 ? SendFlag.SIGNALED : 0);
        }
        link.a().to(QueuePairState.ERR);
        List<Completion> completions = link.a().awaitSends(10);
        assertThat(completions).extracting(Completion::id).isEqualTo(ids(0, 10));
        assertFlushed(completions, link.a().number());
        link.a().assertQuiet();
        assertThat(link.b().state()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void whenMovedToErrorThenPostedReceivesFlushOnceInOrder() {
        Link link = link();
        Buffer target = right.buffer(64).fillWith(1);
        link.b().receives(0, 20, target.all());
        link.b().to(QueuePairState.ERR);
        List<Completion> completions = link.b().awaitReceives(20);
        assertThat(completions).extracting(Completion::id).isEqualTo(ids(0, 20));
        assertFlushed(completions, link.b().number());
        link.b().assertQuiet();
        assertThat(target.contains(0, 64, 1)).isTrue();
        assertThat(link.a().state()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void whenASendIsPostedInErrorThenItIsTakenAndFlushed() {
        Link link = link();
        link.a().to(QueuePairState.ERR);
        Buffer source = left.buffer(64);
        for (int i = 0; i < 5; i++) {
            link.a().send(i, source.all());
            link.a().awaitFailure(i, WorkCompletionStatus.WR_FLUSH_ERR);
        }
    }

    @Test
    void whenAReceiveIsPostedInErrorThenItIsTakenAndFlushed() {
        Assumptions.assumeTrue(subject.flushesReceivesPostedInError(), "the device keeps such receives");
        Link link = link();
        link.b().to(QueuePairState.ERR);
        link.b().receive(5, right.buffer(64).all());
        Completion completion = link.b().awaitReceive();
        assertThat(completion.id()).isEqualTo(5);
        assertThat(completion.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void whenMovedToErrorInInitThenItsReceivesFlush() {
        Endpoint endpoint = right.endpoint();
        endpoint.queuePair().modify(new Connection().init(endpoint).build());
        endpoint.receives(0, 3, right.buffer(64).all());
        endpoint.to(QueuePairState.ERR);
        assertFlushed(endpoint.awaitReceives(3), endpoint.number());
    }

    @Test
    void whenResetThenWaitingSendsEndWithoutCompletions() {
        Link link = link(new Connection().rnrRetry(7));
        Buffer source = left.buffer(64);
        for (int i = 0; i < 5; i++) {
            link.a().send(i, source.all());
        }
        link.a().to(QueuePairState.RESET);
        link.a().assertQuiet();
        link.b().to(QueuePairState.RESET);
        link(new Connection(), link.a(), link.b());
        link.b().receive(50, right.buffer(64).all());
        link.a().send(60, source.all());
        link.a().awaitSent(60);
        link.b().awaitReceived(50);
    }

    @Test
    void whenFlushIsSeenThenTheReceiveBufferIsNotWrittenAnyMore() {
        Link link = link();
        Buffer source = left.buffer(200_000).fillWith(1);
        Buffer target = right.buffer(200_000);
        link.b().receives(0, 4, target.all());
        for (int i = 0; i < 4; i++) {
            link.a().send(i, source.all());
        }
        link.b().to(QueuePairState.ERR);
        link.b().awaitReceives(4);
        target.fillWith(2);
        link.b().assertQuiet();
        assertThat(target.contains(0, 200_000, 2)).isTrue();
    }

    @Test
    void whenTheResponderIsInErrorThenNoLateWriteArrives() {
        Assumptions.assumeTrue(subject.stopsWritesInError(), "the device ends the packet under way");
        assertNoLateWrite(link -> link.b().to(QueuePairState.ERR));
    }

    @Test
    void whenTheRespondersQueuePairIsClosedThenNoLateWriteArrives() {
        assertNoLateWrite(link -> {
            link.b().to(QueuePairState.ERR);
            link.b().queuePair().close();
        });
    }

    private void assertNoLateWrite(Consumer<Link> end) {
        Link link = link(new Connection().timeout(12, 1));
        Buffer source = left.buffer(1 << 20).fillWith(1);
        Buffer target = right.buffer(1 << 20);
        for (int i = 0; i < 8; i++) {
            link.a().write(i, source.all(), target.all());
        }
        end.accept(link);
        target.fillWith(2);
        link.a().awaitSends(8);
        assertThat(target.contains(0, 1 << 20, 2)).isTrue();
    }

    @Test
    void whenTheRegionIsDeregisteredThenNoLateWriteArrives() {
        Link link = link();
        Buffer source = left.buffer(1 << 20).fillWith(1);
        Buffer target = right.buffer(1 << 20);
        for (int i = 0; i < 8; i++) {
            link.a().write(i, source.all(), target.all());
        }
        target.region().close();
        target.fillWith(2);
        link.a().awaitSends(8);
        assertThat(target.contains(0, 1 << 20, 2)).isTrue();
    }

    @Test
    void whenTheSenderIsInErrorAndFlushedThenItsBufferIsNotReadAnyMore() {
        Link link = link();
        Buffer source = left.buffer(1 << 20).fillWith(1);
        Buffer target = right.buffer(1 << 20);
        for (int i = 0; i < 8; i++) {
            link.a().write(i, source.all(), target.all());
        }
        link.a().to(QueuePairState.ERR);
        link.a().awaitSends(8);
        source.fillWith(2);
        link.a().assertQuiet();
        for (byte b : target.bytes()) {
            assertThat(b).isLessThan((byte) 2);
        }
    }
}

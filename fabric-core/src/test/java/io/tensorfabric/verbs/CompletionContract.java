package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Completion queues: capacity, polling, sharing, overrun. */
abstract class CompletionContract extends ContractGroup {

    CompletionContract(VerbsContractTest subject) {
        super(subject);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 100, 512})
    void whenCreatedThenItHoldsAtLeastWhatWasAskedFor(int entries) {
        assertThat(left.completionQueue(entries).capacity()).isGreaterThanOrEqualTo(entries);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MAX_VALUE})
    void whenTheSizeIsOutOfRangeThenEinval(int entries) {
        VerbsException failure = assertFails(Errno.EINVAL, () -> left.context().createCompletionQueue(entries, null));
        assertThat(failure.call()).isEqualTo("ibv_create_cq");
    }

    @Test
    void whenNothingHappenedThenPollReturnsZero() {
        try (WorkCompletions completions = WorkCompletions.allocate(4)) {
            assertThat(left.completionQueue(8).poll(completions)).isZero();
        }
    }

    @Test
    void whenManyArePendingThenPollReturnsThemInOrderUpToItsRoom() {
        Link link = link();
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        link.a().post(list -> {
            for (int i = 0; i < 40; i++) {
                Endpoint.addWrite(list, i, source.all(), target.all(), SendFlag.SIGNALED);
            }
        });
        link.b().receive(1, target.all());
        link.a().send(40, source.all(), 0);
        link.b().awaitReceived(1);
        List<Long> ids = new ArrayList<>();
        long end = System.nanoTime() + subject.patience().toNanos();
        try (WorkCompletions completions = WorkCompletions.allocate(7)) {
            while (ids.size() < 40 && System.nanoTime() < end) {
                int count = link.a().options().sendQueue().poll(completions);
                assertThat(count).isBetween(0, 7);
                for (int i = 0; i < count; i++) {
                    ids.add(completions.id(i));
                }
            }
        }
        assertThat(ids).hasSize(40).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void whenIdsUseAll64BitsThenTheyComeBack() {
        Link link = link();
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        for (long id : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x123456789abcdef0L}) {
            link.b().receive(~id, target.all());
            link.a().send(id, source.all());
            link.a().awaitSent(id);
            link.b().awaitReceived(~id);
        }
    }

    @Test
    void whenSendsAndReceivesShareOneQueueThenBothAppearThere() {
        CompletionQueue both = left.completionQueue(64);
        Link link = link(new Connection(), left.endpoint(both, both), right.endpoint());
        Buffer leftData = left.buffer(64);
        Buffer rightData = right.buffer(64);
        link.a().receive(1, leftData.all());
        link.b().receive(2, rightData.all());
        link.a().send(3, leftData.all());
        link.b().send(4, rightData.all());
        List<Completion> completions = link.a().awaitSends(2);
        assertThat(completions).extracting(Completion::id).containsExactlyInAnyOrder(1L, 3L);
        assertThat(completions).allMatch(completion -> completion.status() == WorkCompletionStatus.SUCCESS);
        for (Completion completion : completions) {
            WorkCompletionOpcode expected =
                    completion.id() == 1 ? WorkCompletionOpcode.RECV : WorkCompletionOpcode.SEND;
            assertThat(completion.isOf(expected)).isTrue();
        }
    }

    @Test
    void whenFourQueuePairsShareAQueueThenEachResultIsFoundByItsIdAndNumber() {
        CompletionQueue shared = left.completionQueue(64);
        List<Link> links = Stream.generate(
                        () -> link(new Connection().rnrRetry(7), left.endpoint(shared, shared), right.endpoint()))
                .limit(4)
                .toList();
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        // The first waits for a receive, the third fails: neither may be taken for another one.
        for (int i : new int[] {1, 2, 3}) {
            if (i != 2) {
                links.get(i).b().receive(i, target.all());
            }
        }
        links.get(0).a().send(1000, source.all());
        links.get(1).a().send(1001, source.all());
        links.get(2).a().write(1002, source.all(), target.all().withRkey(1));
        links.get(3).a().send(1003, source.all());
        try (Poller poller = new Poller(shared, subject.patience())) {
            for (Completion completion : poller.await(3)) {
                int index = (int) completion.id() - 1000;
                assertThat(index).isBetween(1, 3);
                assertThat(completion.queuePairNumber())
                        .isEqualTo(links.get(index).a().number());
                assertThat(completion.status())
                        .isEqualTo(index == 2 ? WorkCompletionStatus.REM_ACCESS_ERR : WorkCompletionStatus.SUCCESS);
            }
            links.get(0).b().receive(0, target.all());
            Completion last = poller.await(1).get(0);
            assertThat(last.id()).isEqualTo(1000);
            assertThat(last.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
        }
    }

    @Test
    void whenARequestFailsThenItIsKnownByIdStatusAndNumber() {
        Link link = link();
        Buffer source = left.buffer(64);
        Set<Long> seen = new HashSet<>();
        link.a().post(list -> {
            Endpoint.addWrite(list, 77, source.all(), source.all().withRkey(3), 0);
            Endpoint.addSend(list, 78, source.all(), 0);
            Endpoint.addRead(list, 79, source.all(), source.all(), 0);
        });
        for (Completion completion : link.a().awaitSends(3)) {
            assertThat(completion.queuePairNumber()).isEqualTo(link.a().number());
            assertThat(completion.status())
                    .isEqualTo(
                            completion.id() == 77
                                    ? WorkCompletionStatus.REM_ACCESS_ERR
                                    : WorkCompletionStatus.WR_FLUSH_ERR);
            seen.add(completion.id());
        }
        assertThat(seen).containsExactlyInAnyOrder(77L, 78L, 79L);
    }

    @Test
    void whenMoreCompleteThanItHoldsThenItTellsOfTheOverrunAndNoCompletionIsInvented() {
        CompletionQueue small = left.completionQueue(4);
        Link link = link(new Connection(), left.endpoint(small, left.completionQueue(4)), right.endpoint());
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        int posted = small.capacity() + 20;
        link.a().post(list -> {
            for (int i = 0; i < posted; i++) {
                Endpoint.addWrite(list, i, source.all(), target.all(), SendFlag.SIGNALED);
            }
        });
        assertThat(awaitEvent(left, AsyncEventType.CQ_ERR).element()).isSameAs(small);
        Set<Long> ids = new HashSet<>();
        try (WorkCompletions completions = WorkCompletions.allocate(64)) {
            for (int count = small.poll(completions); count > 0; count = small.poll(completions)) {
                for (int i = 0; i < count; i++) {
                    assertThat(ids.add(completions.id(i))).as("seen once").isTrue();
                }
            }
        } catch (VerbsException ex) {
            assertThat(ex.call()).isEqualTo("ibv_poll_cq");
        }
        assertThat(ids).hasSizeLessThan(posted);
    }

    @Test
    void whenOneQueueOverrunsThenOthersAreNotHarmed() {
        CompletionQueue small = left.completionQueue(1);
        Link bad = link(new Connection(), left.endpoint(small, left.completionQueue(4)), right.endpoint());
        Link good = link();
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        bad.a().post(list -> {
            for (int i = 0; i < 20; i++) {
                Endpoint.addWrite(list, i, source.all(), target.all(), SendFlag.SIGNALED);
            }
        });
        awaitEvent(left, AsyncEventType.CQ_ERR);
        good.a().write(1, source.all(), target.all());
        good.a().awaitSent(1);
    }
}

package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Shared receive queues. */
abstract class SharedReceiveQueueContract extends ContractGroup {

    SharedReceiveQueueContract(VerbsContractTest subject) {
        super(subject);
    }

    @Test
    void whenCreatedThenItHoldsAtLeastWhatWasAskedFor() {
        assertThat(left.sharedReceiveQueue(20).capacity()).isGreaterThanOrEqualTo(20);
    }

    @Test
    void whenSeveralQueuePairsShareItThenEachMessageTakesOneReceive() {
        SharedReceiveQueue shared = right.sharedReceiveQueue(64);
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            links.add(link(new Connection(), left.endpoint(), right.endpoint(shared)));
        }
        Buffer source = left.buffer(3 * 64);
        Buffer target = right.buffer(64 * 64);
        links.get(0).b().postReceives(list -> {
            for (int i = 0; i < 30; i++) {
                list.add(i).local(target.address() + i * 64, 64, target.region().lkey());
            }
        });
        TreeSet<Long> used = new TreeSet<>();
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 3; i++) {
                source.put(i * 64, new byte[] {(byte) i, (byte) round});
                links.get(i).a().send(round, source.slice(i * 64, 64));
                links.get(i).a().awaitSent(round);
                Completion received = links.get(i).b().awaitReceive();
                assertThat(received.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
                assertThat(received.queuePairNumber())
                        .isEqualTo(links.get(i).b().number());
                assertThat(target.bytes((int) received.id() * 64, 2)).containsExactly(i, round);
                used.add(received.id());
            }
        }
        assertThat(used)
                .isEqualTo(
                        IntStream.range(0, 30).mapToObj(i -> (long) i).collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void whenItIsEmptyThenSendersWaitAndOneReceiveServesOne() {
        SharedReceiveQueue shared = right.sharedReceiveQueue(8);
        Link first = link(new Connection().rnrRetry(7), left.endpoint(), right.endpoint(shared));
        Link second = link(new Connection().rnrRetry(7), left.endpoint(), right.endpoint(shared));
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        first.a().send(1, source.all());
        first.a().assertQuiet();
        second.b().receive(5, target.all());
        first.a().awaitSent(1);
        first.b().awaitReceived(5);
        second.a().send(2, source.all());
        second.a().assertQuiet();
        first.b().receive(6, target.all());
        second.a().awaitSent(2);
        second.b().awaitReceived(6);
    }

    @Test
    void whenItIsFullThenPostTellsHowManyItTook() {
        SharedReceiveQueue shared = right.sharedReceiveQueue(8);
        Endpoint endpoint = right.endpoint(shared);
        int taken = endpoint.postReceives(list -> {
            for (int i = 0; i < 256; i++) {
                list.add(i);
            }
        });
        assertThat(taken).isGreaterThanOrEqualTo(shared.capacity()).isLessThan(256);
        assertThat(endpoint.postReceives(list -> list.add(300))).isZero();
    }

    @Test
    void whenAQueuePairUsesItThenItsOwnReceivesAreRefused() {
        Endpoint endpoint = right.endpoint(right.sharedReceiveQueue(8));
        try (ReceiveRequests receives = ReceiveRequests.allocate(1)) {
            receives.add(1);
            assertThatThrownBy(() -> endpoint.queuePair().postReceive(receives)).isInstanceOf(VerbsException.class);
        }
    }

    @Test
    void whenFewerThanTheLimitAreLeftThenOneEventComes() {
        SharedReceiveQueue shared = right.sharedReceiveQueue(16);
        Link link = link(new Connection(), left.endpoint(), right.endpoint(shared));
        Buffer source = left.buffer(64);
        link.b().receives(0, 6, right.buffer(64).all());
        shared.armLimit(4);
        link.a().send(1, source.all());
        link.a().send(2, source.all());
        link.a().awaitSends(2);
        assertThat(nextEvent(right, AsyncEventType.SRQ_LIMIT_REACHED, subject.quiet()))
                .as("4 of 4 left")
                .isNull();
        link.a().send(3, source.all());
        link.a().awaitSent(3);
        assertThat(awaitEvent(right, AsyncEventType.SRQ_LIMIT_REACHED).element())
                .isSameAs(shared);
        link.a().send(4, source.all());
        link.a().awaitSent(4);
        assertThat(nextEvent(right, AsyncEventType.SRQ_LIMIT_REACHED, subject.quiet()))
                .as("the limit is armed for one event")
                .isNull();
    }

    @Test
    void whenTheLimitIsDisarmedThenNoEventComes() {
        SharedReceiveQueue shared = right.sharedReceiveQueue(16);
        Link link = link(new Connection(), left.endpoint(), right.endpoint(shared));
        link.b().receives(0, 3, right.buffer(64).all());
        shared.armLimit(3);
        shared.armLimit(0);
        link.a().send(1, left.buffer(64).all());
        link.a().awaitSent(1);
        assertThat(nextEvent(right, AsyncEventType.SRQ_LIMIT_REACHED, subject.quiet()))
                .isNull();
    }

    @Test
    void whenTheLimitIsAboveTheCapacityThenEinval() {
        SharedReceiveQueue shared = right.sharedReceiveQueue(16);
        assertFails(Errno.EINVAL, () -> shared.armLimit(shared.capacity() + 1000));
    }

    @Test
    void whenOneQueuePairFailsThenTheOthersKeepTheReceives() {
        SharedReceiveQueue shared = right.sharedReceiveQueue(16);
        Link failing = link(new Connection(), left.endpoint(), right.endpoint(shared));
        Link working = link(new Connection(), left.endpoint(), right.endpoint(shared));
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        failing.b().receives(0, 3, target.all());
        failing.b().to(QueuePairState.ERR);
        failing.b().assertQuiet();
        for (int i = 0; i < 3; i++) {
            working.a().send(i, source.all());
            working.a().awaitSent(i);
            working.b().awaitReceived(i);
        }
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenAQueuePairGoesToErrorThenItTellsThatItTakesNoMoreReceives() {
        Assumptions.assumeTrue(subject.reportsLastWorkRequest(), "the device has no such event");
        SharedReceiveQueue shared = right.sharedReceiveQueue(16);
        Link link = link(new Connection(), left.endpoint(), right.endpoint(shared));
        link.b().receives(0, 3, right.buffer(64).all());
        link.b().to(QueuePairState.ERR);
        assertThat(awaitEvent(right, AsyncEventType.QP_LAST_WQE_REACHED).element())
                .isSameAs(link.b().queuePair());
    }
}

package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Send and receive queues: how many they take, what they tell when full, and what they refuse. */
abstract class QueueContract extends ContractGroup {

    private static final QueuePairCapabilities SMALL = new QueuePairCapabilities(8, 8, 1, 1, 0);

    QueueContract(VerbsContractTest subject) {
        super(subject);
    }

    private Link smallLink() {
        return link(new Connection().rnrRetry(7), left.endpoint(SMALL), right.endpoint(SMALL));
    }

    @Test
    void whenSendQueueIsFullThenPostTellsHowManyItTookAndNoneIsLost() {
        Link link = link(new Connection().rnrRetry(7), left.endpoint(SMALL), right.endpoint());
        Buffer source = left.buffer(64);
        int granted = link.a().queuePair().capabilities().maxSendRequests();
        int offered = 64;
        int taken = link.a().post(list -> {
            for (int i = 0; i < offered; i++) {
                Endpoint.addSend(list, i, source.all(), SendFlag.SIGNALED);
            }
        });
        assertThat(taken).isGreaterThanOrEqualTo(granted).isLessThan(offered);
        int more = link.a().post(list -> Endpoint.addSend(list, 99, source.all(), SendFlag.SIGNALED));
        assertThat(more).as("taken by a full queue").isZero();
        assertThat(link.a().state()).isEqualTo(QueuePairState.RTS);

        link.b().receives(1000, taken, right.buffer(64).all());
        for (int i = 0; i < taken; i++) {
            link.a().awaitSent(i);
            link.b().awaitReceived(1000 + i);
        }
        link.a().assertQuiet();
    }

    @Test
    void whenReceiveQueueIsFullThenPostTellsHowManyItTookAndNoneIsLost() {
        Link link = smallLink();
        Buffer target = right.buffer(64);
        int granted = link.b().queuePair().capabilities().maxReceiveRequests();
        int offered = 64;
        int taken = link.b().postReceives(list -> {
            for (int i = 0; i < offered; i++) {
                list.add(i).local(target.address(), 64, target.region().lkey());
            }
        });
        assertThat(taken).isGreaterThanOrEqualTo(granted).isLessThan(offered);
        assertThat(link.b().postReceives(list -> list.add(99))).isZero();
        for (int i = 0; i < taken; i++) {
            link.a().send(i, left.buffer(64).all());
            link.a().awaitSent(i);
            link.b().awaitReceived(i);
        }
        assertThat(link.b().postReceives(list -> list.add(99)))
                .as("after some were used")
                .isEqualTo(1);
    }

    @Test
    void whenOnlyEverySecondHalfIsSignalledThenSlotsAreReusedForEver() {
        Link link = smallLink();
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        int half = link.a().queuePair().capabilities().maxSendRequests() / 2;
        for (int round = 0; round < 100; round++) {
            int id = round;
            int taken = link.a().post(list -> {
                for (int i = 0; i < half; i++) {
                    int flags = i == half - 1 ? SendFlag.SIGNALED : 0;
                    Endpoint.addWrite(list, id, source.all(), target.all(), flags);
                }
            });
            assertThat(taken).isEqualTo(half);
            link.a().awaitSent(round);
        }
        link.a().assertQuiet();
    }

    @Test
    void whenTheQueuePairSignalsAllThenUnsignalledRequestsCompleteVisibly() {
        CompletionQueue sends = left.completionQueue(64);
        QueuePairOptions options = Node.options(sends, left.completionQueue(64), null, Node.CAPABILITIES)
                .withSignalAll(true);
        Link link = link(new Connection(), left.endpoint(options), right.endpoint());
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        for (int i = 0; i < 10; i++) {
            link.a().write(i, source.all(), target.all(), 0);
        }
        for (int i = 0; i < 10; i++) {
            link.a().awaitSent(i);
        }
    }

    @Test
    void whenARequestIsNotSignalledThenItsSuccessIsNotShown() {
        Link link = link();
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        link.a().write(1, source.all(), target.all(), 0);
        link.a().assertQuiet();
        link.a().write(2, source.all(), target.all());
        link.a().awaitSent(2);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenASendHasTooManyElementsThenEinvalWithTheCountAccepted() {
        Link link = link(new Connection(), left.endpoint(SMALL), right.endpoint());
        Assumptions.assumeTrue(
                link.a().queuePair().capabilities().maxSendElements() < SendRequests.MAX_ELEMENTS,
                "the device grants as many elements as a request can carry");
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        VerbsException failure = assertFails(
                Errno.EINVAL,
                () -> link.a().post(list -> {
                    Endpoint.addWrite(list, 1, source.all(), target.all(), SendFlag.SIGNALED);
                    Endpoint.addWrite(list, 2, source.all(), target.all(), SendFlag.SIGNALED);
                    Endpoint.addWrite(list, 3, source.slice(0, 8), target.all(), SendFlag.SIGNALED);
                    for (int i = 1; i < SendRequests.MAX_ELEMENTS; i++) {
                        list.local(source.address(), 8, source.region().lkey());
                    }
                    Endpoint.addWrite(list, 4, source.all(), target.all(), SendFlag.SIGNALED);
                }));
        assertThat(failure.call()).isEqualTo("ibv_post_send");
        assertThat(failure.accepted()).isEqualTo(2);
        link.a().awaitSent(1);
        link.a().awaitSent(2);
        link.a().assertQuiet();
        link.a().write(5, source.all(), target.all());
        link.a().awaitSent(5);
    }

    @Test
    void whenAReceiveHasTooManyElementsThenEinvalWithTheCountAccepted() {
        Link link = smallLink();
        Assumptions.assumeTrue(
                link.b().queuePair().capabilities().maxReceiveElements() < ReceiveRequests.MAX_ELEMENTS,
                "the device grants as many elements as a request can carry");
        Buffer target = right.buffer(64);
        VerbsException failure = assertFails(
                Errno.EINVAL,
                () -> link.b().postReceives(list -> {
                    list.add(1).local(target.address(), 64, target.region().lkey());
                    list.add(2);
                    for (int i = 0; i < ReceiveRequests.MAX_ELEMENTS; i++) {
                        list.local(target.address(), 8, target.region().lkey());
                    }
                }));
        assertThat(failure.call()).isEqualTo("ibv_post_recv");
        assertThat(failure.accepted()).isEqualTo(1);
        link.a().send(1, left.buffer(64).all());
        link.b().awaitReceived(1);
        link.a().awaitSent(1);
    }

    @Test
    void whenInlineDataIsTooLongThenEinvalWithTheCountAccepted() {
        Link link = link();
        int limit = link.a().queuePair().capabilities().maxInlineData();
        Buffer source = left.buffer(limit + 1).fill(1);
        Buffer target = right.buffer(limit + 1);
        int flags = SendFlag.SIGNALED | SendFlag.INLINE;
        VerbsException failure = assertFails(
                Errno.EINVAL,
                () -> link.a().post(list -> {
                    Endpoint.addWrite(list, 1, source.slice(0, limit), target.all(), flags);
                    Endpoint.addWrite(list, 2, source.all(), target.all(), flags);
                }));
        assertThat(failure.accepted()).isEqualTo(1);
        link.a().awaitSent(1);
        assertThat(target.bytes(0, limit)).isEqualTo(source.bytes(0, limit));
        assertThat(target.contains(limit, 1, 0)).isTrue();
        assertThat(link.a().state()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void whenAnEmptyListIsPostedThenNothingHappens() {
        Link link = link();
        assertThat(link.a().post(list -> {})).isZero();
        assertThat(link.a().postReceives(list -> {})).isZero();
        assertThat(link.a().state()).isEqualTo(QueuePairState.RTS);
    }
}

package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers that are not ready, peers that are gone. Timeouts are small: 12 is 17 ms. */
abstract class RetryContract extends ContractGroup {

    private static final int TIMEOUT = 12;

    RetryContract(VerbsContractTest subject) {
        super(subject);
    }

    private static Connection impatient() {
        return new Connection().timeout(TIMEOUT, 1);
    }

    private void assertPeerIsLost(Link link) {
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        int taken = link.a().post(list -> {
            Endpoint.addWrite(list, 1, source.all(), target.all(), SendFlag.SIGNALED);
            Endpoint.addWrite(list, 2, source.all(), target.all(), 0);
        });
        assertThat(taken).isEqualTo(2);
        link.a().awaitFailure(1, WorkCompletionStatus.RETRY_EXC_ERR);
        link.a().awaitFailure(2, WorkCompletionStatus.WR_FLUSH_ERR);
        link.a().awaitState(QueuePairState.ERR);
        assertThat(target.contains(0, 64, 0)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void whenNoReceiveComesThenTheSendFailsAfterItsRetriesAndThePeerStaysReady(int retries) {
        Link link = link(new Connection().rnrRetry(retries));
        Buffer source = left.buffer(64);
        link.a().send(1, source.all());
        link.a().awaitFailure(1, WorkCompletionStatus.RNR_RETRY_EXC_ERR);
        link.a().awaitState(QueuePairState.ERR);
        assertThat(link.b().state()).isEqualTo(QueuePairState.RTS);
        link.a().send(2, source.all());
        link.a().awaitFailure(2, WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void whenRnrRetryIsSevenThenTheSendWaitsUntilAReceiveIsPosted() {
        Link link = link(new Connection().rnrRetry(7));
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        link.a().send(1, source.all());
        link.a().assertQuiet();
        link.b().receive(5, target.all());
        link.a().awaitSent(1);
        link.b().awaitReceived(5);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenASendWaitsForAReceiveThenLaterWritesWaitBehindIt() {
        Link link = link(new Connection().rnrRetry(7));
        Buffer source = left.buffer(64).fillWith(1);
        Buffer target = right.buffer(128);
        link.a().send(1, source.all());
        link.a().write(2, source.all(), target.slice(64, 64));
        link.a().assertQuiet();
        assertThat(target.contains(64, 64, 0)).isTrue();
        link.b().receive(5, target.slice(0, 64));
        link.a().awaitSent(1);
        link.a().awaitSent(2);
        assertThat(target.contains(0, 128, 1)).isTrue();
    }

    @Test
    void whenOneOfManyMessagesFindsNoReceiveThenAllStillArriveOnce() {
        Link link = link(new Connection().rnrRetry(7));
        Buffer source = left.buffer(64);
        link.b().receives(0, 3, right.buffer(64).all());
        link.a().post(list -> {
            for (int i = 0; i < 10; i++) {
                Endpoint.addSend(list, i, source.all(), SendFlag.SIGNALED);
            }
        });
        link.b().awaitReceives(3);
        link.b().assertQuiet();
        link.b().receives(3, 7, right.buffer(64).all());
        for (int i = 3; i < 10; i++) {
            link.b().awaitReceived(i);
        }
        for (int i = 0; i < 10; i++) {
            link.a().awaitSent(i);
        }
    }

    @Test
    void whenThePeersQueuePairIsDestroyedThenTheRetriesRunOut() {
        Link link = link(impatient());
        link.b().queuePair().close();
        assertPeerIsLost(link);
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairState.class,
            names = {"ERR", "RESET"})
    void whenThePeersQueuePairIsOutOfServiceThenTheRetriesRunOut(QueuePairState state) {
        Link link = link(impatient());
        link.b().to(state);
        assertPeerIsLost(link);
        assertThat(link.b().state()).isEqualTo(state);
    }

    @Test
    void whenThePeerNeverExistedThenTheRetriesRunOut() {
        Endpoint a = left.endpoint();
        Endpoint b = right.endpoint();
        Connection connection = impatient();
        a.queuePair().modify(connection.init(a).build());
        a.queuePair()
                .modify(connection
                        .readyToReceive(a, b, 1)
                        .destinationQpn(0xfffff0)
                        .build());
        a.queuePair().modify(connection.readyToSend(1).build());
        assertPeerIsLost(new Link(a, b));
    }

    @Test
    void whenReadsFindNoPeerThenTheRetriesRunOut() {
        Link link = link(impatient());
        Buffer local = left.buffer(64);
        Slice remote = right.buffer(64).all();
        link.b().queuePair().close();
        link.a().read(1, local.all(), remote);
        link.a().awaitFailure(1, WorkCompletionStatus.RETRY_EXC_ERR);
    }

    @Test
    void whenThePeerIsReadyOnlyLaterThenRetriesBringTheDataAcross() {
        Connection connection = new Connection().timeout(14, 6);
        Endpoint a = left.endpoint();
        Endpoint b = right.endpoint();
        a.queuePair().modify(connection.init(a).build());
        b.queuePair().modify(connection.init(b).build());
        a.queuePair().modify(connection.readyToReceive(a, b, 500).build());
        a.queuePair().modify(connection.readyToSend(400).build());
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        a.write(1, source.all(), target.all());
        a.assertQuiet();
        b.queuePair().modify(connection.readyToReceive(b, a, 400).build());
        a.awaitSent(1);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenThePeerWasLostThenTheQueuePairCanBeConnectedToANewOne() {
        Link link = link(impatient());
        link.b().queuePair().close();
        assertPeerIsLost(link);
        link.a().to(QueuePairState.RESET);
        Link again = link(new Connection(), link.a(), right.endpoint());
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        again.a().write(5, source.all(), target.all());
        again.a().awaitSent(5);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenOnePeerIsLostThenOtherQueuePairsGoOn() {
        Link lost = link(impatient());
        Link working = link();
        Buffer source = left.buffer(64);
        Buffer target = right.buffer(64);
        lost.b().to(QueuePairState.ERR);
        lost.a().write(1, source.all(), target.all());
        for (int i = 0; i < 20; i++) {
            working.a().write(i, source.all(), target.all());
            working.a().awaitSent(i);
        }
        lost.a().awaitFailure(1, WorkCompletionStatus.RETRY_EXC_ERR);
    }
}

package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a queue pair is and does in each of its states. */
abstract class QueuePairStateContract extends ContractGroup {

    QueuePairStateContract(VerbsContractTest subject) {
        super(subject);
    }

    @Test
    void whenCreatedThenItIsInResetWithANumberAndAtLeastTheSizesAskedFor() {
        Endpoint endpoint = left.endpoint();
        assertThat(endpoint.state()).isEqualTo(QueuePairState.RESET);
        assertThat(endpoint.number()).isBetween(1, (1 << 24) - 1);
        QueuePairCapabilities granted = endpoint.queuePair().capabilities();
        assertThat(granted.maxSendRequests()).isGreaterThanOrEqualTo(Node.CAPABILITIES.maxSendRequests());
        assertThat(granted.maxReceiveRequests()).isGreaterThanOrEqualTo(Node.CAPABILITIES.maxReceiveRequests());
        assertThat(granted.maxSendElements()).isGreaterThanOrEqualTo(Node.CAPABILITIES.maxSendElements());
        assertThat(granted.maxReceiveElements()).isGreaterThanOrEqualTo(Node.CAPABILITIES.maxReceiveElements());
        assertThat(granted.maxInlineData()).isGreaterThanOrEqualTo(Node.CAPABILITIES.maxInlineData());
    }

    @Test
    void whenSeveralAreOpenThenTheirNumbersDiffer() {
        assertThat(Set.of(
                        left.endpoint().number(),
                        left.endpoint().number(),
                        left.endpoint().number()))
                .hasSize(3);
    }

    @Test
    void whenTakenToRtsThenEachStateIsReachedInTurnAndTheAttributesAreKept() {
        Connection connection = new Connection().timeout(15, 5).rnrRetry(3).readDepth(2);
        Endpoint a = left.endpoint();
        Endpoint b = right.endpoint();
        a.queuePair().modify(connection.init(a).build());
        assertThat(a.state()).isEqualTo(QueuePairState.INIT);
        a.queuePair().modify(connection.readyToReceive(a, b, 0x123456).build());
        assertThat(a.state()).isEqualTo(QueuePairState.RTR);
        a.queuePair().modify(connection.readyToSend(0xfedcba).build());
        assertThat(a.state()).isEqualTo(QueuePairState.RTS);

        QueuePairAttributes held = a.queuePair().query();
        assertThat(held.state()).isEqualTo(QueuePairState.RTS);
        assertThat(held.accessFlags()).contains(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
        assertThat(held.port()).isEqualTo(left.port());
        assertThat(held.pkeyIndex()).isZero();
        assertThat(held.pathMtu()).isEqualTo(connection.mtu(a, b));
        assertThat(held.destinationQpn()).isEqualTo(b.number());
        assertThat(held.receivePsn()).isEqualTo(0x123456);
        assertThat(held.sendPsn()).isEqualTo(0xfedcba);
        assertThat(held.timeout()).isEqualTo(15);
        assertThat(held.retryCount()).isEqualTo(5);
        assertThat(held.rnrRetry()).isEqualTo(3);
        assertThat(held.minRnrTimer()).isEqualTo(12);
        assertThat(held.maxReadsAsInitiator()).isEqualTo(2);
        assertThat(held.maxReadsAsTarget()).isEqualTo(2);
        assertThat(held.path().gid()).isEqualTo(right.gid().gid());
        assertThat(held.path().sourceGidIndex()).isEqualTo(left.gid().index());
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairState.class,
            names = {"RESET", "INIT", "RTR"})
    void whenSendIsPostedBeforeRtsThenEinvalAndNothingIsAccepted(QueuePairState state) {
        Endpoint a = in(state);
        Buffer buffer = left.buffer(64);
        VerbsException failure = assertFails(
                Errno.EINVAL,
                () -> a.post(list -> {
                    Endpoint.addSend(list, 1, buffer.all(), SendFlag.SIGNALED);
                    Endpoint.addSend(list, 2, buffer.all(), SendFlag.SIGNALED);
                }));
        assertThat(failure.call()).isEqualTo("ibv_post_send");
        assertThat(failure.accepted()).isZero();
        assertThat(a.state()).isEqualTo(state);
        a.assertQuiet();
    }

    private Endpoint in(QueuePairState state) {
        Connection connection = new Connection();
        Endpoint a = left.endpoint();
        Endpoint b = right.endpoint();
        if (state != QueuePairState.RESET) {
            a.queuePair().modify(connection.init(a).build());
        }
        if (state == QueuePairState.RTR) {
            a.queuePair().modify(connection.readyToReceive(a, b, 1).build());
        }
        return a;
    }

    @Test
    void whenPeerIsInRtrThenItReceivesIntoWhatWasPostedInInitButCannotSend() {
        Connection connection = new Connection();
        Endpoint a = left.endpoint();
        Endpoint b = right.endpoint();
        a.queuePair().modify(connection.init(a).build());
        b.queuePair().modify(connection.init(b).build());
        Buffer target = right.buffer(64);
        b.receive(5, target.all());
        a.queuePair().modify(connection.readyToReceive(a, b, 200).build());
        b.queuePair().modify(connection.readyToReceive(b, a, 100).build());
        a.queuePair().modify(connection.readyToSend(100).build());

        a.send(1, left.buffer(64).fill(2).all());
        a.awaitSent(1);
        b.awaitReceived(5);
        assertThat(b.state()).isEqualTo(QueuePairState.RTR);
        assertFails(Errno.EINVAL, () -> b.send(2, target.all()));
    }

    @Test
    void whenResetThenPostedReceivesAreForgotten() {
        Link link = link();
        Buffer target = right.buffer(64);
        link.b().receives(1, 4, target.all());
        link.b().to(QueuePairState.RESET);
        assertThat(link.b().state()).isEqualTo(QueuePairState.RESET);
        link.b().assertQuiet();
    }

    @Test
    void whenReusedThroughResetThenItWorksAsNew() {
        Link link = link();
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        for (int round = 0; round < 3; round++) {
            link.b().receive(round, target.fillWith(0).all());
            link.a().send(round, source.fill(round).all());
            link.a().awaitSent(round);
            link.b().awaitReceived(round);
            assertThat(target.bytes()).isEqualTo(source.bytes());
            link.a().to(QueuePairState.ERR);
            link.b().to(QueuePairState.ERR);
            assertThat(link.a().state()).isEqualTo(QueuePairState.ERR);
            link.a().to(QueuePairState.RESET);
            link.b().to(QueuePairState.RESET);
            assertThat(link.a().state()).isEqualTo(QueuePairState.RESET);
            link(new Connection(), link.a(), link.b());
        }
    }

    @Test
    void whenRtsIsDrainedAndResumedThenTrafficGoesOn() {
        Link link = link();
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        link.a().write(1, source.all(), target.all());
        link.a().awaitSent(1);
        link.a().to(QueuePairState.SQD);
        assertThat(link.a().state()).isEqualTo(QueuePairState.SQD);
        // The queue pair can go back once it is drained, which takes a moment and raises an event on some devices only.
        Awaitility.await()
                .atMost(subject.patience())
                .pollInSameThread()
                .ignoreExceptionsMatching(ex -> ex instanceof VerbsException verbs && verbs.errno() == Errno.EINVAL)
                .until(() -> {
                    link.a().to(QueuePairState.RTS);
                    return true;
                });
        link.a().write(2, source.fill(2).all(), target.all());
        link.a().awaitSent(2);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenOneContextHasBothEndsThenTheyReachEachOther() {
        Assumptions.assumeTrue(subject.reachesItself(), "the port does not reach its own address");
        Link link = link(new Connection(), left.endpoint(), left.endpoint());
        Buffer source = left.buffer(10_000).fill(1);
        Buffer target = left.buffer(10_000);
        link.a().write(1, source.all(), target.all());
        link.a().awaitSent(1);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }

    @Test
    void whenConnectedToItselfThenItsOwnReceivesGetItsSends() {
        Assumptions.assumeTrue(subject.reachesItself(), "the port does not reach its own address");
        Endpoint self = left.endpoint();
        Connection connection = new Connection();
        self.queuePair().modify(connection.init(self).build());
        self.queuePair().modify(connection.readyToReceive(self, self, 77).build());
        self.queuePair().modify(connection.readyToSend(77).build());
        Buffer source = left.buffer(300).fill(1);
        Buffer target = left.buffer(300);
        self.receive(1, target.all());
        self.send(2, source.all());
        self.awaitSent(2);
        self.awaitReceived(1);
        assertThat(target.bytes()).isEqualTo(source.bytes());
    }
}

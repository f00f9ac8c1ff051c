package io.tensorfabric.verbs;

import static io.tensorfabric.verbs.QueuePairState.ERR;
import static io.tensorfabric.verbs.QueuePairState.INIT;
import static io.tensorfabric.verbs.QueuePairState.RESET;
import static io.tensorfabric.verbs.QueuePairState.RTR;
import static io.tensorfabric.verbs.QueuePairState.RTS;
import static io.tensorfabric.verbs.QueuePairState.SQD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which changes of state are allowed, and with which attributes: the tables of {@code ibv_modify_qp(3)}. */
abstract class QueuePairTransitionContract extends ContractGroup {

    private Endpoint a;
    private Endpoint b;

    QueuePairTransitionContract(VerbsContractTest subject) {
        super(subject);
    }

    /** Takes a new queue pair to a state. */
    private void arrange(QueuePairState state) {
        a = left.endpoint();
        b = right.endpoint();
        Connection connection = new Connection();
        if (state == RESET) {
            return;
        }
        a.queuePair().modify(connection.init(a).build());
        if (state == INIT) {
            return;
        }
        if (state == ERR) {
            a.to(ERR);
            return;
        }
        a.queuePair().modify(connection.readyToReceive(a, b, 1).build());
        if (state != RTR) {
            a.queuePair().modify(connection.readyToSend(1).build());
        }
        if (state == SQD) {
            a.to(SQD);
        }
    }

    /** All that the step to a state needs. */
    private QueuePairAttributes complete(QueuePairState target) {
        Connection connection = new Connection();
        return switch (target) {
            case INIT -> connection.init(a).build();
            case RTR -> connection.readyToReceive(a, b, 1).build();
            case RTS -> connection.readyToSend(1).build();
            default -> QueuePairAttributes.to(target).build();
        };
    }

    private void assertRefused(
            QueuePairState from, QueuePairState to, QueuePairAttributes attributes, String... named) {
        VerbsException failure = assertFails(Errno.EINVAL, () -> a.queuePair().modify(attributes));
        assertThat(failure.call()).isEqualTo("ibv_modify_qp");
        assertThat(failure.getMessage()).contains(from.name(), to.name());
        assertThat(List.of(named)).allMatch(failure.getMessage()::contains);
        assertThat(a.state()).as("unchanged").isEqualTo(from);
        assertThat(a.queuePair().query().state()).isEqualTo(from);
    }

    static Stream<Arguments> missing() {
        Set<QueuePairAttribute> init =
                EnumSet.of(QueuePairAttribute.PKEY_INDEX, QueuePairAttribute.PORT, QueuePairAttribute.ACCESS_FLAGS);
        Set<QueuePairAttribute> readyToReceive = EnumSet.of(
                QueuePairAttribute.PATH,
                QueuePairAttribute.PATH_MTU,
                QueuePairAttribute.DESTINATION_QPN,
                QueuePairAttribute.RECEIVE_PSN,
                QueuePairAttribute.MAX_READS_AS_TARGET,
                QueuePairAttribute.MIN_RNR_TIMER);
        Set<QueuePairAttribute> readyToSend = EnumSet.of(
                QueuePairAttribute.TIMEOUT,
                QueuePairAttribute.RETRY_COUNT,
                QueuePairAttribute.RNR_RETRY,
                QueuePairAttribute.SEND_PSN,
                QueuePairAttribute.MAX_READS_AS_INITIATOR);
        return Stream.of(
                        init.stream().map(attribute -> Arguments.of(RESET, INIT, attribute)),
                        readyToReceive.stream().map(attribute -> Arguments.of(INIT, RTR, attribute)),
                        readyToSend.stream().map(attribute -> Arguments.of(RTR, RTS, attribute)))
                .flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("missing")
    void whenAnAttributeIsMissingThenTheMessageNamesItAndNothingChanges(
            QueuePairState from, QueuePairState to, QueuePairAttribute attribute) {
        arrange(from);
        assertRefused(from, to, AttributeCopy.without(complete(to), attribute), attribute.name());
        a.queuePair().modify(complete(to));
        assertThat(a.state()).isEqualTo(to);
    }

    @Test
    void whenSeveralAttributesAreMissingThenAllAreNamed() {
        arrange(INIT);
        QueuePairAttributes bare = QueuePairAttributes.to(RTR).receivePsn(1).build();
        assertRefused(INIT, RTR, bare, "PATH", "PATH_MTU", "DESTINATION_QPN", "MAX_READS_AS_TARGET", "MIN_RNR_TIMER");
    }

    static Stream<Arguments> surplus() {
        return Stream.of(
                Arguments.of(RESET, INIT, QueuePairAttribute.SEND_PSN),
                Arguments.of(RESET, INIT, QueuePairAttribute.DESTINATION_QPN),
                Arguments.of(INIT, RTR, QueuePairAttribute.SEND_PSN),
                Arguments.of(INIT, RTR, QueuePairAttribute.RETRY_COUNT),
                Arguments.of(RTR, RTS, QueuePairAttribute.DESTINATION_QPN),
                Arguments.of(RTR, RTS, QueuePairAttribute.PORT),
                Arguments.of(RTS, RTS, QueuePairAttribute.PATH_MTU),
                Arguments.of(RTS, ERR, QueuePairAttribute.ACCESS_FLAGS),
                Arguments.of(RTS, RESET, QueuePairAttribute.PKEY_INDEX));
    }

    @ParameterizedTest
    @MethodSource("surplus")
    void whenAnAttributeIsSurplusThenTheMessageNamesItAndNothingChanges(
            QueuePairState from, QueuePairState to, QueuePairAttribute attribute) {
        arrange(from);
        QueuePairAttributes base = from == to ? QueuePairAttributes.to(to).build() : complete(to);
        assertRefused(from, to, AttributeCopy.with(base, attribute), attribute.name());
    }

    static Stream<Arguments> illegal() {
        return Stream.of(
                Arguments.of(RESET, RTR),
                Arguments.of(RESET, RTS),
                Arguments.of(RESET, SQD),
                Arguments.of(RESET, ERR),
                Arguments.of(INIT, RTS),
                Arguments.of(INIT, SQD),
                Arguments.of(RTR, INIT),
                Arguments.of(RTR, SQD),
                Arguments.of(RTS, INIT),
                Arguments.of(RTS, RTR),
                Arguments.of(SQD, RTR),
                Arguments.of(ERR, INIT),
                Arguments.of(ERR, RTR),
                Arguments.of(ERR, RTS));
    }

    @ParameterizedTest
    @MethodSource("illegal")
    void whenAStateIsSkippedOrGoneBackThenEinvalAndNothingChanges(QueuePairState from, QueuePairState to) {
        arrange(from);
        assertRefused(from, to, complete(to));
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairState.class,
            names = {"INIT", "RTR", "RTS", "SQD", "ERR"})
    void whenAnyStateButResetGoesToErrorThenItIsAllowed(QueuePairState from) {
        arrange(from);
        a.to(ERR);
        assertThat(a.state()).isEqualTo(ERR);
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairState.class,
            names = {"RESET", "INIT", "RTR", "RTS", "ERR"})
    void whenAnyStateGoesToResetThenItIsAllowed(QueuePairState from) {
        arrange(from);
        a.to(RESET);
        assertThat(a.state()).isEqualTo(RESET);
    }

    @Test
    void whenInitIsRepeatedThenItsAttributesChange() {
        arrange(INIT);
        a.queuePair()
                .modify(QueuePairAttributes.to(INIT)
                        .accessFlags(Set.of(AccessFlag.REMOTE_READ))
                        .build());
        assertThat(a.state()).isEqualTo(INIT);
        assertThat(a.queuePair().query().accessFlags()).doesNotContain(AccessFlag.REMOTE_WRITE);
    }

    @Test
    void whenRightsOfAReadyQueuePairChangeThenTheyHoldAtOnce() {
        Link link = link();
        Buffer source = left.buffer(64).fill(1);
        Buffer target = right.buffer(64);
        link.b()
                .queuePair()
                .modify(QueuePairAttributes.builder()
                        .accessFlags(Set.of(AccessFlag.REMOTE_READ))
                        .build());
        assertThat(link.b().state()).isEqualTo(RTS);
        link.a().read(1, source.all(), target.all());
        link.a().awaitSent(1);
        link.a().write(2, source.all(), target.all());
        link.a().awaitFailure(2, WorkCompletionStatus.REM_INV_REQ_ERR, WorkCompletionStatus.REM_ACCESS_ERR);
        assertThat(target.contains(0, 64, 0)).isTrue();
    }

    @Test
    void whenValuesAreOutOfRangeThenEinvalAndNothingChanges() {
        arrange(RESET);
        QueuePairAttributes wrongPort = new Connection().init(a).port(200).build();
        assertFails(Errno.EINVAL, () -> a.queuePair().modify(wrongPort));
        assertThat(a.state()).isEqualTo(RESET);
        a.queuePair().modify(complete(INIT));
        PathAddress path = Connection.path(a, b);
        PathAddress wrongIndex = new PathAddress(path.gid(), path.lid(), 250, 0, 0, 64, path.providerAddress());
        QueuePairAttributes wrongGid =
                new Connection().readyToReceive(a, b, 1).path(wrongIndex).build();
        VerbsException failure =
                catchThrowableOfType(VerbsException.class, () -> a.queuePair().modify(wrongGid));
        assertThat(failure.errno()).isIn(Errno.EINVAL, Errno.ENODATA);
        assertThat(a.state()).isEqualTo(INIT);
        a.queuePair().modify(complete(RTR));
        QueuePairAttributes wrongTimeout =
                new Connection().readyToSend(1).timeout(32).build();
        assertFails(Errno.EINVAL, () -> a.queuePair().modify(wrongTimeout));
        assertThat(a.state()).isEqualTo(RTR);
        int tooMany = left.context().queryDevice().maxReadsAsInitiator() + 1;
        QueuePairAttributes wrongReads =
                new Connection().readyToSend(1).maxReadsAsInitiator(tooMany).build();
        assertFails(Errno.EINVAL, () -> a.queuePair().modify(wrongReads));
        assertThat(a.state()).isEqualTo(RTR);
        a.queuePair().modify(complete(RTS));
    }
}

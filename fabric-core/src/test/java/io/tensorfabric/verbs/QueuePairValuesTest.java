package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Attributes, paths and failures of queue pairs as values. */
class QueuePairValuesTest {

    private static final PathAddress PATH = new PathAddress(
            Gid.parse("00000000000000000000ffff0a4d0001"), 3, 1, 106, 2, 64, "127.0.0.1:4711/s3cr3t-handshake");

    private static QueuePairAttributes full() {
        return QueuePairAttributes.to(QueuePairState.RTR)
                .accessFlags(Set.of(AccessFlag.REMOTE_READ))
                .pkeyIndex(1)
                .port(2)
                .path(PATH)
                .pathMtu(Mtu.MTU_2048)
                .timeout(14)
                .retryCount(7)
                .rnrRetry(6)
                .receivePsn(0x123456)
                .maxReadsAsInitiator(4)
                .minRnrTimer(12)
                .sendPsn(0xfedcba)
                .maxReadsAsTarget(5)
                .destinationQpn(0x11)
                .build();
    }

    @Test
    void whenAllAreSetThenAllAreReadBackAndTheMaskIsFull() {
        QueuePairAttributes attributes = full();
        assertThat(attributes.mask()).isEqualTo(EnumSet.allOf(QueuePairAttribute.class));
        assertThat(attributes.state()).isSameAs(QueuePairState.RTR);
        assertThat(attributes.accessFlags()).containsExactly(AccessFlag.REMOTE_READ);
        assertThat(attributes.pkeyIndex()).isEqualTo(1);
        assertThat(attributes.port()).isEqualTo(2);
        assertThat(attributes.path()).isSameAs(PATH);
        assertThat(attributes.pathMtu()).isSameAs(Mtu.MTU_2048);
        assertThat(attributes.timeout()).isEqualTo(14);
        assertThat(attributes.retryCount()).isEqualTo(7);
        assertThat(attributes.rnrRetry()).isEqualTo(6);
        assertThat(attributes.receivePsn()).isEqualTo(0x123456);
        assertThat(attributes.maxReadsAsInitiator()).isEqualTo(4);
        assertThat(attributes.minRnrTimer()).isEqualTo(12);
        assertThat(attributes.sendPsn()).isEqualTo(0xfedcba);
        assertThat(attributes.maxReadsAsTarget()).isEqualTo(5);
        assertThat(attributes.destinationQpn()).isEqualTo(0x11);
    }

    @Test
    void whenSomeAreSetThenOnlyTheyAreInTheMask() {
        QueuePairAttributes attributes =
                QueuePairAttributes.to(QueuePairState.ERR).build();
        assertThat(attributes.mask()).containsExactly(QueuePairAttribute.STATE);
        assertThat(attributes.has(QueuePairAttribute.STATE)).isTrue();
        assertThat(attributes.has(QueuePairAttribute.PORT)).isFalse();
        assertThat(QueuePairAttributes.builder().build().mask()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(QueuePairAttribute.class)
    void whenAnAttributeWasNotSetThenReadingItNamesIt(QueuePairAttribute attribute) {
        QueuePairAttributes none = QueuePairAttributes.builder().build();
        assertThatIllegalStateException()
                .isThrownBy(() -> read(none, attribute))
                .withMessageContaining(attribute.name());
    }

    private static Object read(QueuePairAttributes attributes, QueuePairAttribute attribute) {
        return switch (attribute) {
            case STATE -> attributes.state();
            case ACCESS_FLAGS -> attributes.accessFlags();
            case PKEY_INDEX -> attributes.pkeyIndex();
            case PORT -> attributes.port();
            case PATH -> attributes.path();
            case PATH_MTU -> attributes.pathMtu();
            case TIMEOUT -> attributes.timeout();
            case RETRY_COUNT -> attributes.retryCount();
            case RNR_RETRY -> attributes.rnrRetry();
            case RECEIVE_PSN -> attributes.receivePsn();
            case MAX_READS_AS_INITIATOR -> attributes.maxReadsAsInitiator();
            case MIN_RNR_TIMER -> attributes.minRnrTimer();
            case SEND_PSN -> attributes.sendPsn();
            case MAX_READS_AS_TARGET -> attributes.maxReadsAsTarget();
            case DESTINATION_QPN -> attributes.destinationQpn();
        };
    }

    @Test
    void whenTheBuilderOrItsArgumentsChangeLaterThenTheAttributesDoNot() {
        Set<AccessFlag> flags = new HashSet<>(Set.of(AccessFlag.REMOTE_READ));
        QueuePairAttributes.Builder builder =
                QueuePairAttributes.to(QueuePairState.INIT).accessFlags(flags);
        QueuePairAttributes attributes = builder.build();
        flags.add(AccessFlag.REMOTE_WRITE);
        builder.port(1).state(QueuePairState.RTR);
        assertThat(attributes.accessFlags()).containsExactly(AccessFlag.REMOTE_READ);
        assertThat(attributes.mask()).containsExactly(QueuePairAttribute.STATE, QueuePairAttribute.ACCESS_FLAGS);
        assertThat(attributes.state()).isSameAs(QueuePairState.INIT);
    }

    @Test
    void whenPrintedThenThePathShowsItsGidButNotItsSecret() {
        assertThat(PATH.toString())
                .contains("0000:0000:0000:0000:0000:ffff:0a4d:0001", "lid=3", "trafficClass=106")
                .doesNotContain("s3cr3t", "4711", "providerAddress");
        assertThat(full().toString()).contains("PATH_MTU", "MTU_2048").doesNotContain("s3cr3t", "4711");
    }

    @Test
    void whenAnAttributeIsNumberedThenTheMaskIsTheSumOfItsBits() {
        int mask = full().mask().stream().mapToInt(QueuePairAttribute::bit).sum();
        assertThat(mask).isEqualTo(0x13bfb9);
    }

    @Test
    void whenACallFailsThenTheMessageNamesCallErrorDetailAndRemedy() {
        VerbsException failure = new VerbsException("ibv_post_send", Errno.ENOMEM, "queue pair 17 of soft0", 5);
        assertThat(failure)
                .hasMessageStartingWith("ibv_post_send failed with ENOMEM")
                .hasMessageContaining("queue pair 17 of soft0")
                .hasMessageContaining(Errno.ENOMEM.remedy());
        assertThat(failure.call()).isEqualTo("ibv_post_send");
        assertThat(failure.errno()).isSameAs(Errno.ENOMEM);
        assertThat(failure.accepted()).isEqualTo(5);
        assertThat(new VerbsException("ibv_reg_mr", Errno.EINVAL, "x").accepted())
                .isZero();
    }

    @Test
    void whenOptionsAreCopiedThenOnlyTheNamedPartChanges() {
        QueuePairCapabilities capabilities = new QueuePairCapabilities(1, 2, 3, 4, 5);
        QueuePairOptions options = QueuePairOptions.reliableConnected(FixedQueue.FIRST, capabilities);
        assertThat(options.type()).isSameAs(QueuePairType.RC);
        assertThat(options.sendQueue()).isSameAs(options.receiveQueue());
        assertThat(options.sharedReceiveQueue()).isNull();
        assertThat(options.signalAll()).isFalse();
        QueuePairOptions changed = options.withReceiveQueue(FixedQueue.SECOND).withSignalAll(true);
        assertThat(changed.sendQueue()).isSameAs(FixedQueue.FIRST);
        assertThat(changed.receiveQueue()).isSameAs(FixedQueue.SECOND);
        assertThat(changed.signalAll()).isTrue();
        assertThat(changed.capabilities()).isSameAs(capabilities);
    }

    private enum FixedQueue implements CompletionQueue {
        FIRST,
        SECOND;

        @Override
        public int capacity() {
            return 1;
        }

        @Override
        public int poll(WorkCompletions completions) {
            return 0;
        }

        @Override
        public void requestNotification(boolean solicitedOnly) {}

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void close() {}
    }
}

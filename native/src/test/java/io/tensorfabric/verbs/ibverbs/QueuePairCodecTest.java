package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.PathAddress;
import io.tensorfabric.verbs.QueuePairAttribute;
import io.tensorfabric.verbs.QueuePairAttributes;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.VerbsException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueuePairCodecTest {

    private static QueuePairAttributes all() {
        return QueuePairAttributes.to(QueuePairState.RTS)
                .accessFlags(Set.of(AccessFlag.REMOTE_WRITE))
                .pkeyIndex(3)
                .port(2)
                .path(new PathAddress(Gid.parse("0000:0000:0000:0000:0000:ffff:0a4d:0001"), 7, 3, 96, 5, 64, null))
                .pathMtu(Mtu.MTU_2048)
                .timeout(14)
                .retryCount(6)
                .rnrRetry(7)
                .receivePsn(0x123456)
                .maxReadsAsInitiator(16)
                .minRnrTimer(12)
                .sendPsn(0xfedcba)
                .maxReadsAsTarget(15)
                .destinationQpn(0xabcdef)
                .build();
    }

    @Test
    void whenAllAttributesAreWrittenThenAllAreReadBack() {
        try (Scratch raw = new Scratch(Layout.PAIR_SIZE)) {
            QueuePairCodec.write(all(), 1, raw);
            QueuePairAttributes back = QueuePairCodec.read(raw);
            assertThat(back).hasToString(all().toString());
            assertThat(back.mask()).containsExactlyInAnyOrder(QueuePairAttribute.values());
        }
    }

    @Test
    void whenTheQueuePairIsNewThenItHasNoPath() {
        try (Scratch raw = new Scratch(Layout.PAIR_SIZE)) {
            QueuePairAttributes read = QueuePairCodec.read(raw);
            assertThat(read.state()).isEqualTo(QueuePairState.RESET);
            assertThat(read.mask()).doesNotContain(QueuePairAttribute.PATH, QueuePairAttribute.PATH_MTU);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 256, Integer.MAX_VALUE})
    void whenAValueDoesNotFitItsFieldThenItIsNotCutOff(int value) {
        try (Scratch raw = new Scratch(Layout.PAIR_SIZE)) {
            QueuePairAttributes wrong =
                    QueuePairAttributes.builder().timeout(value).build();
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> QueuePairCodec.write(wrong, 1, raw))
                    .withMessageContaining("TIMEOUT of " + value);
        }
    }
}

package io.tensorfabric.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.KeyValue;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.TensorDescriptor;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DefaultPushObservationConventionTest {

    private final DefaultPushObservationConvention convention = new DefaultPushObservationConvention();

    private static PushObservationContext context(String peer) {
        return new PushObservationContext(peer, new TensorDescriptor("t", DataType.U8, Shape.of(12)), Map.of());
    }

    @Test
    void whenAskedAgainThenKeysAreThoseThatWereMadeBefore() {
        PushObservationContext context = context("ranker");

        assertThat(convention.getLowCardinalityKeyValues(context))
                .isSameAs(convention.getLowCardinalityKeyValues(context("ranker")))
                .containsExactly(KeyValue.of("fabric.peer", "ranker"));
        assertThat(convention.getHighCardinalityKeyValues(context))
                .isSameAs(convention.getHighCardinalityKeyValues(context))
                .containsExactlyInAnyOrder(KeyValue.of("fabric.tensor", "t"), KeyValue.of("fabric.bytes", "12"));
        assertThat(convention.getContextualName(context)).isEqualTo("push to ranker");
    }

    @Test
    void whenPeersHaveMoreNamesThanAreKeptThenTheirKeysAreRight() {
        for (int i = 0; i < 1500; i++) {
            PushObservationContext context = context("peer-" + i);
            assertThat(convention.getLowCardinalityKeyValues(context))
                    .containsExactly(KeyValue.of("fabric.peer", "peer-" + i));
            assertThat(convention.getContextualName(context)).isEqualTo("push to peer-" + i);
        }
    }
}

package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.connection.PeerRight;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class AllowedPeerTest {

    private static List<AllowedPeer> bind(String... pairs) {
        Map<String, String> map = new HashMap<>();
        for (String pair : pairs) {
            map.put(
                    "fabric.security.allowed-peers" + pair.substring(0, pair.indexOf('=')),
                    pair.substring(pair.indexOf('=') + 1));
        }
        return new Binder(new MapConfigurationPropertySource(map))
                .bind("fabric", FabricProperties.class)
                .get()
                .security()
                .allowedPeers();
    }

    @Test
    void whenBoundThenTheFirstEntryThatCoversANodeCounts() {
        PropertiesPeerPolicy policy = new PropertiesPeerPolicy(bind(
                "[0].node=ranker-1",
                "[0].rights=pull",
                "[1].node=ranker-*",
                "[1].rights=push,publish",
                "[1].certificate=ranker.example",
                "[2].node=feeder"));
        assertThat(policy.rightsOf("ranker-1")).containsExactly(PeerRight.PULL);
        assertThat(policy.rightsOf("ranker-2")).containsExactlyInAnyOrder(PeerRight.PUSH, PeerRight.PUBLISH);
        assertThat(policy.rightsOf("feeder")).isEqualTo(EnumSet.allOf(PeerRight.class));
        assertThat(policy.rightsOf("feeder2")).isEmpty();
        assertThat(policy.certificateOf("ranker-1")).isEqualTo("ranker-1");
        assertThat(policy.certificateOf("ranker-2")).isEqualTo("ranker.example");
        assertThat(policy.certificateOf("nobody")).isEqualTo("nobody");
    }

    @Test
    void whenThereIsNoEntryThenAllAreLetIn() {
        assertThat(new PropertiesPeerPolicy(List.of()).rightsOf("x")).isEqualTo(EnumSet.allOf(PeerRight.class));
    }

    @ParameterizedTest
    @CsvSource({
        "a, a, true",
        "a, b, false",
        "a, ab, false",
        "ab, a, false",
        "*, anything, true",
        "a*, a, true",
        "a*, abc, true",
        "*c, abc, true",
        "*c, abcd, false",
        "a*c*e, abcde, true",
        "a*c*e, abcd, false",
        "a.c, abc, false",
        "*a*a*a*a*a*a*a*a*a*a*b, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, false"
    })
    void whenANodeIsAPatternThenOnlyStarsStandForText(String pattern, String node, boolean covers) {
        assertThat(new AllowedPeer(pattern, null, Set.of(PeerRight.PUSH)).covers(node))
                .isEqualTo(covers);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[0].rights=push", "[0].node=a b", "[0].node="})
    void whenAnEntryMakesNoSenseThenItIsNamed(String pair) {
        assertThatThrownBy(() -> bind(pair)).rootCause().hasMessageContaining("fabric.security.allowed-peers[].node");
    }
}

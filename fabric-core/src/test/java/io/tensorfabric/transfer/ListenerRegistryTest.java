package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.transfer.TensorListenerRegistry.Registration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListenerRegistryTest {

    @ParameterizedTest
    @CsvSource({
        "*, '', true",
        "*, any/thing, true",
        "'', '', true",
        "'', a, false",
        "embeddings/*, embeddings/1, true",
        "embeddings/*, embeddings/, true",
        "embeddings/*, embedding, false",
        "*.weight, a.b.weight, true",
        "*.weight, a.weight.b, false",
        "a*b*c, aXbYbc, true",
        "a*b*c, acb, false",
        "**, x, true",
        "ab, abc, false",
        "a?c, abc, false",
    })
    void aStarStandsForAnyCharacters(String pattern, String text, boolean fits) {
        assertThat(Glob.matches(pattern, text)).isEqualTo(fits);
    }

    @Test
    void whenSeveralFitThenTheFirstRegisteredIsFound() {
        ListenerRegistry registry = new ListenerRegistry();
        Registration first = registry.register("first", "a*", "*", tensor -> {});
        Registration second = registry.register("second", "*", "left", tensor -> {});
        assertThat(registry.find("abc", "left")).isEqualTo(first);
        assertThat(registry.find("b", "left")).isEqualTo(second);
        assertThat(registry.find("b", "other")).isNull();
        first.close();
        first.close();
        assertThat(registry.find("abc", "left")).isEqualTo(second);
    }

    @Test
    void whenARegistrationHasEndedThenItsListenerIsNotCalled() throws Exception {
        ListenerRegistry registry = new ListenerRegistry();
        registry.register("one", "*", "*", tensor -> {
            throw new AssertionError("called");
        });
        ListenerRegistry.Listener listener = registry.find("a", "b");
        assertThat(listener).isNotNull();
        listener.close();
        assertThat(listener.receive(null)).isFalse();
    }
}

package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sizes and durations whose unit is missing or misspelt. That an application hears of it holds {@link PrintedFailuresTest}. */
class UnitsCheckTest {

    private final MockEnvironment environment = new MockEnvironment().withProperty("app.wait", "7");

    private FabricProperties bind(String property, Object value) {
        Binder binder = new Binder(new MapConfigurationPropertySource(Map.of(property, value)));
        return binder.bind(
                        "fabric",
                        Bindable.of(FabricProperties.class),
                        new UnitsCheck(environment).apply(BindHandler.DEFAULT))
                .get();
    }

    private void assertRefused(String property, Object value, String reason) {
        Throwable failure = catchThrowable(() -> bind(property, value));
        assertThat(failure).isNotNull();
        while (!(failure instanceof InvalidConfigurationPropertyValueException) && failure.getCause() != null) {
            failure = failure.getCause();
        }
        assertThat(failure).isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, invalid -> {
            assertThat(invalid.getName()).isEqualTo(property);
            assertThat(invalid.getReason()).contains(reason);
        });
    }

    static Stream<String> durations() throws IOException {
        try (InputStream metadata =
                UnitsCheckTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            JsonNode properties = JsonMapper.shared().readTree(metadata).get("properties");
            return StreamSupport.stream(properties.spliterator(), false)
                    .filter(property -> property.get("type").asString().equals(Duration.class.getName()))
                    .map(property -> property.get("name").asString())
                    .filter(name -> name.startsWith("fabric."))
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("durations")
    void whenADurationHasNoUnitThenTheRightSpellingIsShown(String property) {
        assertRefused(property, "7", property.equals("fabric.completion.spin") ? "Write 7us" : "Write 7s");
    }

    @Test
    void whenANumberComesFromYamlOrAPlaceholderThenItLacksItsUnitToo() {
        assertRefused("fabric.transfer.deadline", 7, "Write 7s");
        assertRefused("fabric.transfer.deadline", "${app.wait}", "It has no unit");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.5s", "5sec", "5 minutes", "PT", "soon", "99999999999999999d"})
    void whenADurationCannotBeReadThenOneIsShown(String text) {
        assertRefused("fabric.transfer.deadline", text, "as 1500ms");
    }

    @ParameterizedTest
    @CsvSource({
        "64MiB, Write 64MB;",
        "64M, Write 64MB;",
        "64mb, Write 64MB;",
        "64 MiB, Write 64MB;",
        "1.5GB, Write 1536MB;",
        "2g, Write 2GB;",
        "0.3KB, as 64MB",
        "8388608TB, as 64MB",
        "much, as 64MB",
    })
    void whenASizeIsMisspeltThenTheRightSpellingIsShown(String text, String reason) {
        assertRefused("fabric.memory.host.slab-size", text, reason);
    }

    @Test
    void whenUnitsAreRightThenValuesBind() {
        assertThat(bind("fabric.transfer.deadline", "7s").transfer().deadline()).isEqualTo(Duration.ofSeconds(7));
        assertThat(bind("fabric.transfer.deadline", "PT7S").transfer().deadline())
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(bind("fabric.transfer.deadline", Duration.ofSeconds(7))
                        .transfer()
                        .deadline())
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(bind("fabric.completion.spin", "0").completion().spin()).isZero();
        assertThat(bind("fabric.memory.host.slab-size", 67108864)
                        .memory()
                        .host()
                        .slabSize())
                .isEqualTo(DataSize.ofMegabytes(64));
    }
}

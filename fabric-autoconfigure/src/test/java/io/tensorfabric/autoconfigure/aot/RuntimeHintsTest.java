package io.tensorfabric.autoconfigure.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.EstablishedRequest;
import io.tensorfabric.connection.EstablishedResponse;
import io.tensorfabric.connection.LaneOffer;
import io.tensorfabric.connection.NodeDescription;
import io.tensorfabric.connection.PathOffer;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.connection.ZoneRequest;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** The hints as Spring finds them, by META-INF/spring/aot.factories. */
class RuntimeHintsTest {

    private static final RuntimeHints HINTS = new RuntimeHints();

    @BeforeAll
    static void register() {
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(registrar -> registrar.getClass().getName().startsWith("io.tensorfabric"))
                .forEach(registrar -> registrar.registerHints(HINTS, RuntimeHintsTest.class.getClassLoader()));
    }

    static Stream<Class<?>> records() {
        return Stream.of(
                NodeDescription.class,
                ConnectRequest.class,
                ConnectResponse.class,
                EstablishedRequest.class,
                EstablishedResponse.class,
                ZoneRequest.class,
                ZoneGrant.class,
                LaneOffer.class,
                PathOffer.class);
    }

    @ParameterizedTest
    @MethodSource("records")
    void whenARecordIsPartOfTheNegotiationThenAnImageCanReadAndWriteIt(Class<?> type) throws Exception {
        Class<?>[] components = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);

        assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructor(components)))
                .accepts(HINTS);
        for (RecordComponent component : type.getRecordComponents()) {
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(component.getAccessor()))
                    .as(component.getName())
                    .accepts(HINTS);
        }
    }

    @Test
    void whenAPeerRefusesThenAnImageCanReadItsProblem() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(TypeReference.of("io.tensorfabric.autoconfigure.negotiation.ProblemDetails")))
                .accepts(HINTS);
    }

    @Test
    void whenRawMemoryIsReachedByNameThenAnImageHasTheTypes() throws IOException {
        Path source = Path.of("../fabric-core/src/main/java/io/tensorfabric/offheap/ForeignMemoryBackend.java");
        List<String> named = Pattern.compile("\"(java\\.lang\\.foreign\\.[A-Za-z$]*[A-Za-z])\"")
                .matcher(Files.readString(source))
                .results()
                .map(match -> match.group(1))
                .distinct()
                .toList();

        assertThat(named)
                .hasSizeGreaterThan(5)
                .allSatisfy(type -> assertThat(RuntimeHintsPredicates.reflection()
                                .onType(TypeReference.of(type))
                                .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                        .accepts(HINTS));
    }

    @Test
    void whenTheShimIsLoadedThenAnImageHasItAndItsMethods() {
        assertThat(RuntimeHintsPredicates.resource()
                        .forResource("META-INF/native/linux-x86_64/libtensorfabric_verbs-0.1.0-SNAPSHOT.so"))
                .accepts(HINTS);
        assertThat(RuntimeHintsPredicates.resource().forResource("io/tensorfabric/verbs/ibverbs/native.properties"))
                .accepts(HINTS);
        assertThat(HINTS.jni().getTypeHint(TypeReference.of("io.tensorfabric.verbs.ibverbs.NativeVerbs")))
                .satisfies(hint ->
                        assertThat(hint.getMemberCategories()).contains(MemberCategory.INVOKE_DECLARED_METHODS));
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(TypeReference.of("sun.misc.Unsafe"))
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(HINTS);
    }
}

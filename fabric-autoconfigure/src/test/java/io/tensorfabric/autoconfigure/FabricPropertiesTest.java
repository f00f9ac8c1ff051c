package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tensorfabric.connection.ConnectionOptions;
import io.tensorfabric.transfer.TransferOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FabricPropertiesTest {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(Properties.class);

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(FabricProperties.class)
    static class Properties {}

    @Test
    void whenNothingIsSetThenDefaultsAreTheCoresOwn() {
        runner.run(context -> {
            FabricProperties properties = context.getBean(FabricProperties.class);
            assertThat(properties.enabled()).isTrue();
            assertThat(properties.provider()).isEqualTo(FabricProperties.Provider.AUTO);
            assertThat(properties.peers()).isEmpty();
            assertThat(properties.connection().toOptions()).isEqualTo(ConnectionOptions.defaults());
            assertThat(properties.transfer().toOptions(properties.landing())).isEqualTo(TransferOptions.defaults());
            assertThat(properties.negotiation().path()).isEqualTo("/fabric/v1");
            assertThat(properties.negotiation().maxBodySize()).isEqualTo(DataSize.ofKilobytes(256));
            assertThat(properties.security().clockSkew()).isEqualTo(Duration.ofSeconds(30));
        });
    }

    @Test
    void whenSendersMayNotChooseWhereTensorsLandThenTransfersKnow() {
        runner.withPropertyValues("fabric.landing.sender-choice=false").run(context -> {
            FabricProperties properties = context.getBean(FabricProperties.class);
            assertThat(properties.transfer().toOptions(properties.landing()).landingChoice())
                    .isFalse();
        });
    }

    @ParameterizedTest
    @CsvSource({"64MB, 67108864", "67108864, 67108864", "64 MB, 67108864", "64KB, 65536", "8589934592, 8589934592"})
    void whenASizeIsWellFormedThenItBinds(String text, long bytes) {
        runner.withPropertyValues("fabric.memory.host.slab-size=" + text)
                .run(context -> assertThat(context.getBean(FabricProperties.class)
                                .memory()
                                .host()
                                .slabSize()
                                .toBytes())
                        .isEqualTo(bytes));
    }

    @ParameterizedTest
    @ValueSource(strings = {"64MiB", "64M", "64mb", "1.5GB", "-1MB", "0", "8388608TB", "1B", "4095"})
    void whenASizeMakesNoSenseThenStartFailsAndNamesTheProperty(String text) {
        assertRefused("fabric.memory.host.slab-size", text);
        assertRefused("fabric.memory.host.max-size", text);
    }

    @ParameterizedTest
    @CsvSource({
        "fabric.memory.host.acquire-timeout, -1s",
        "fabric.connection.negotiation-timeout, 0",
        "fabric.connection.heartbeat-timeout, 1s",
        "fabric.connection.bulk-lanes, 16",
        "fabric.connection.link.max-mtu, 1500",
        "fabric.connection.link.min-rnr-timer, 0",
        "fabric.completion.pollers, 0",
        "fabric.completion.mode, sometimes",
        "fabric.memory.host.huge-pages, sometimes",
        "fabric.completion.spin, -1us",
        "fabric.transfer.stripe-threshold, -1MB",
        "fabric.transfer.chunk-size, 2GB",
        "fabric.resilience.retry.attempts, 0",
        "fabric.resilience.retry.jitter, 1",
        "fabric.resilience.retry.max-backoff, 1ms",
        "fabric.resilience.circuit-breaker.failure-rate, 0",
        "fabric.resilience.circuit-breaker.minimum-outcomes, 21",
        "fabric.resilience.circuit-breaker.max-open-wait, 1ms",
        "fabric.resilience.bulkhead.max-in-flight, 0",
        "fabric.resilience.rate-limiter.limit, 0",
        "fabric.transfer.deadline, -5s",
        "fabric.landing.zone-size, 100B",
        "fabric.port, 0",
        "fabric.gid-index, -1",
        "fabric.node-id, a b",
        "fabric.negotiation.path, fabric",
        "fabric.negotiation.path, /fabric/",
        "fabric.negotiation.path, /fabric/*",
        "fabric.negotiation.max-body-size, 1GB",
        "fabric.security.clock-skew, 0s",
        "fabric.security.shared-secret, short",
        "fabric.security.shared-secret, ${FABRIC_TEST_UNSET_SECRET}",
        "fabric.security.shared-secret, 0123456789abcdef-${FABRIC_TEST_UNSET_SECRET}",
        "fabric.soft.port, 65536",
        "fabric.soft.bind-address, 127.0.0.1:80",
        "fabric.provider, ibverb"
    })
    void whenAValueIsOutOfRangeThenStartFailsAndNamesTheProperty(String property, String value) {
        assertRefused(property, value);
    }

    static Stream<Arguments> negatives() throws IOException {
        Map<String, String> values = Map.of(
                DataSize.class.getName(), "-1MB",
                Duration.class.getName(), "-5s",
                Integer.class.getName(), "-1");
        try (InputStream metadata =
                FabricPropertiesTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            List<Arguments> found = new ArrayList<>();
            for (JsonNode property : JsonMapper.shared().readTree(metadata).get("properties")) {
                String value = values.get(property.get("type").asString());
                if (property.get("name").asString().startsWith("fabric.") && value != null) {
                    found.add(Arguments.of(property.get("name").asString(), value));
                }
            }
            assertThat(found).hasSizeGreaterThan(80);
            return found.stream();
        }
    }

    /** Whatever is a size, a duration or a number is checked: binding itself takes negative ones. */
    @ParameterizedTest
    @MethodSource("negatives")
    void whenAnyPropertyIsNegativeThenItIsRefusedByName(String property, String value) {
        Binder binder = new Binder(new MapConfigurationPropertySource(Map.of(property, value)));
        Throwable failure = catchThrowable(() -> binder.bind("fabric", FabricProperties.class));
        assertThat(failure).isNotNull();
        assertThat(messages(failure)).contains("Property " + property + " with value");
    }

    @Test
    void whenTheSecretsVariableIsNotSetThenStartFailsAndSaysSo() {
        runner.withPropertyValues("fabric.security.shared-secret=${FABRIC_TEST_UNSET_SECRET}")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("fabric.security.shared-secret")
                        .hasMessageContaining("placeholder")
                        .hasMessageNotContaining("FABRIC_TEST_UNSET_SECRET"));
    }

    @Test
    void whenTheSecretComesThroughAPlaceholderThenItBinds() {
        runner.withPropertyValues("secret=0123456789abcdef", "fabric.security.shared-secret=${secret}")
                .run(context -> assertThat(context.getBean(FabricProperties.class)
                                .security()
                                .sharedSecret())
                        .isEqualTo("0123456789abcdef"));
    }

    @Test
    void whenPeersAreAListThenAddressesStayWhole() {
        runner.withPropertyValues(
                        "fabric.peers[0].name=ranker",
                        "fabric.peers[0].url=https://10.0.0.5:8443/base",
                        "fabric.peers[1].name=feeder",
                        "fabric.peers[1].url=[2001:db8::1]:9000")
                .run(context -> {
                    FabricProperties properties = context.getBean(FabricProperties.class);
                    assertThat(properties.peers().get(0).uri(false))
                            .isEqualTo(URI.create("https://10.0.0.5:8443/base"));
                    assertThat(properties.peers().get(1).uri(false))
                            .isEqualTo(URI.create("https://[2001:db8::1]:9000"));
                });
    }

    @Test
    void whenPeersAreCommaSeparatedThenTheyBind() {
        runner.withPropertyValues("fabric.peers=ranker=https://r:8443, feeder=127.0.0.1:9000")
                .run(context -> {
                    FabricProperties properties = context.getBean(FabricProperties.class);
                    assertThat(properties.peers())
                            .extracting(FabricProperties.Peer::name)
                            .containsExactly("ranker", "feeder");
                    assertThat(properties.peers().get(1).uri(false)).isEqualTo(URI.create("http://127.0.0.1:9000"));
                });
    }

    @Test
    void whenPeersComeFromTheEnvironmentThenTheyBind() {
        withEnvironment(Map.of("FABRIC_PEERS_0_NAME", "Node-A", "FABRIC_PEERS_0_URL", "https://node-a:8443"))
                .run(context -> assertThat(
                                context.getBean(FabricProperties.class).peers())
                        .containsExactly(new FabricProperties.Peer("Node-A", "https://node-a:8443", null)));
    }

    @Test
    void whenTheListHasAGapThenStartFails() {
        withEnvironment(new LinkedHashMap<>(Map.of(
                        "FABRIC_PEERS_0_NAME", "a",
                        "FABRIC_PEERS_0_URL", "https://a",
                        "FABRIC_PEERS_2_NAME", "c",
                        "FABRIC_PEERS_2_URL", "https://c")))
                .run(context ->
                        assertThat(messages(context.getStartupFailure())).contains("fabric.peers[2]"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fabric.peers.ranker=https://ranker",
                "fabric.peers[0].name=a b",
                "fabric.peers[0].url=https://no-name",
                "fabric.peers[0]=nameless",
                "fabric.peers=a=https://u:p@host",
                "fabric.peers=a=ftp://host",
                "fabric.peers=a=https://host?x=1",
                "fabric.peers=a=https://h,a=https://i",
                "fabric.pol=1",
                "fabric.memory.host.slab-sise=1MB"
            })
    void whenAPeerOrANameIsWrongThenStartFails(String property) {
        runner.withPropertyValues(property).run(context -> {
            assertThat(context).hasFailed();
            assertThat(messages(context.getStartupFailure())).containsAnyOf("fabric.p", "slab-sise");
        });
    }

    @Test
    void whenPrintedThenTheSecretIsLeftOut() {
        runner.withPropertyValues("fabric.security.shared-secret=0123456789abcdef")
                .run(context -> assertThat(
                                context.getBean(FabricProperties.class).toString())
                        .contains("sharedSecret=******")
                        .doesNotContain("0123456789abcdef"));
    }

    private ApplicationContextRunner withEnvironment(Map<String, Object> variables) {
        return runner.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables)));
    }

    private void assertRefused(String property, String value) {
        runner.withPropertyValues(property + "=" + value).run(context -> {
            assertThat(context).hasFailed();
            assertThat(messages(context.getStartupFailure())).contains(property);
        });
    }

    private static String messages(Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            text.append(each.getMessage()).append('\n');
        }
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource({"spin, 1, 2, false", "spin, 2, 2, true", "adaptive, 2, 2, false", "event, 2, 2, false"})
    void whenPollersThatSpinTakeAllProcessorsThenAWarningSaysSo(
            String mode, int pollers, int processors, boolean warned) {
        runner.withPropertyValues("fabric.completion.mode=" + mode, "fabric.completion.pollers=" + pollers)
                .run(context -> {
                    List<String> warnings = new ArrayList<>();
                    CompletionProperties completion =
                            context.getBean(FabricProperties.class).completion();
                    FabricNodeFactory.warnOfSpinning(completion, processors, warnings);
                    assertThat(warnings).hasSize(warned ? 1 : 0);
                    assertThat(warnings).allMatch(text -> text.contains("fabric.completion.mode=adaptive"));
                });
    }
}

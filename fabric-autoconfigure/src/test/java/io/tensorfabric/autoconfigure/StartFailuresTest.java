package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.listener.FabricListenerAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationServerAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.GidType;
import io.tensorfabric.verbs.LinkLayer;
import io.tensorfabric.verbs.PortAttributes;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftFaults;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** What a person reads when the start fails: through the analyzers that an application has. */
class StartFailuresTest {

    private static final AutoConfigurations ALL = AutoConfigurations.of(
            FabricAutoConfiguration.class,
            FabricDiscoveryAutoConfiguration.class,
            FabricListenerAutoConfiguration.class,
            FabricNegotiationClientAutoConfiguration.class,
            FabricNegotiationServerAutoConfiguration.class,
            FabricResilienceAutoConfiguration.class);

    private final SoftFaults faults = new SoftFaults();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(ALL)
            .withPropertyValues(
                    "fabric.provider=soft", "fabric.memory.host.slab-size=8MB", "fabric.memory.host.max-size=32MB");

    private static void assertExplained(@Nullable Throwable failure, String description, String action) {
        assertThat(failure).isNotNull();
        List<FailureAnalysis> analyses = SpringFactoriesLoader.forDefaultResourceLocation()
                // Those of Spring Boot that need a context are not for here.
                .load(FailureAnalyzer.class, FailureHandler.handleMessage((message, problem) -> {}))
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .toList();
        assertThat(analyses).isNotEmpty();
        assertThat(analyses.get(0).getDescription()).contains(description);
        assertThat(analyses.get(0).getAction()).contains(action);
    }

    private void assertFails(String property, String description, String action) {
        runner.withPropertyValues(property)
                .run(context -> assertExplained(context.getStartupFailure(), description, action));
    }

    /** A device that is broken as soon as it is open. */
    private void assertFailsOn(Runnable fault, String description, String action) {
        assertFailsOn(
                context -> {
                    fault.run();
                    return context;
                },
                description,
                action);
    }

    private void assertFailsOn(UnaryOperator<VerbsContext> fault, String description, String action) {
        VerbsProvider broken = breaking(fault);
        runner.withBean(VerbsProvider.class, () -> broken)
                .run(context -> assertExplained(context.getStartupFailure(), description, action));
    }

    private VerbsProvider breaking(UnaryOperator<VerbsContext> fault) {
        return new Breaking(new SoftVerbsProvider(SoftDeviceOptions.defaults().withFaults(faults)), fault);
    }

    private record Breaking(VerbsProvider delegate, UnaryOperator<VerbsContext> fault) implements VerbsProvider {

        @Override
        public String name() {
            return delegate.name();
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public @Nullable Throwable unavailabilityCause() {
            return null;
        }

        @Override
        public List<VerbsDevice> devices() {
            return delegate.devices().stream().map(this::breaking).toList();
        }

        private VerbsDevice breaking(VerbsDevice device) {
            return proxy(
                    VerbsDevice.class,
                    device,
                    (method, result) -> result instanceof VerbsContext context ? fault.apply(context) : result);
        }
    }

    /** The same but for what it answers. */
    private static <T> T proxy(Class<T> type, T delegate, BiFunction<String, Object, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return answers.apply(method.getName(), method.invoke(delegate, arguments));
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                }));
    }

    /** A card on Ethernet with these entries in the GID tables of its ports. */
    private static UnaryOperator<VerbsContext> ethernet(GidEntry... gids) {
        return context -> proxy(VerbsContext.class, context, (method, result) -> switch (method) {
            case "queryGidTable" -> List.of(gids);
            case "queryPort" -> {
                PortAttributes port = (PortAttributes) result;
                yield new PortAttributes(
                        port.state(),
                        LinkLayer.ETHERNET,
                        port.maxMtu(),
                        port.activeMtu(),
                        port.lid(),
                        gids.length,
                        port.maxMessageSize(),
                        port.activeSpeed());
            }
            default -> result;
        });
    }

    @Test
    void whenTheDeviceIsUnknownThenThoseThatExistAreListed() {
        assertFails(
                "fabric.device=mlx5_9", "There is no device mlx5_9 of provider soft. There is soft0", "fabric.device");
    }

    @Test
    void whenThePortIsUnknownThenTheErrorSaysHowManyThereAre() {
        assertFails("fabric.port=3", "soft0 has 1 port(s), so there is no port 3", "fabric.port");
    }

    @Test
    void whenNoPortIsActiveThenTheErrorSaysHowTheyAre() {
        assertFailsOn(
                () -> faults.setPortState(1, PortState.DOWN), "No port of soft0 is ACTIVE: port 1", "ibv_devinfo");
    }

    @Test
    void whenTheGidIndexIsNotThereThenTheTableIsShown() {
        assertFails("fabric.gid-index=9", "GID index 9 is not usable on soft0 port 1. Its table holds", "gid-index");
    }

    @Test
    void whenThePortHasNoGidThenTheActionSaysHowItGetsOne() {
        assertFailsOn(
                ethernet(),
                "The GID table of soft0 port 1 has no usable entry. Give its network interface an address (ip addr)",
                "ibv_devinfo -v");
    }

    /** It works between peers of one link, so it is no failure. */
    @Test
    void whenThePortHasNoRoceV2GidThenTheStartWarnsAndSaysWhatToDo() {
        Gid gid = Gid.of(InetAddress.getLoopbackAddress());
        VerbsProvider old = breaking(ethernet(new GidEntry(0, gid, GidType.ROCE_V1, "eth0")));
        runner.withBean(VerbsProvider.class, () -> old)
                .run(context -> assertThat(context.getBean(FabricLifecycle.class)
                                .requireNode()
                                .warnings())
                        .anyMatch(warning ->
                                warning.contains("is RoCE v1, which is not routable. Enable RoCE v2 on the port")));
    }

    @Test
    void whenMemoryCannotBeLockedThenTheActionNamesTheLimit() {
        assertFailsOn(
                () -> faults.failCall("ibv_reg_mr", Errno.ENOMEM, 100),
                "Host memory cannot be registered with soft0",
                "limit of locked memory (ulimit -l");
    }

    @Test
    void whenThePoolIsLargerThanTheMachineThenTheActionNamesTheProperties() {
        runner.withPropertyValues("fabric.memory.host.slab-size=512TB", "fabric.memory.host.max-size=512TB")
                .run(context -> assertExplained(
                        context.getStartupFailure(),
                        "Host memory cannot be registered with soft0",
                        "fabric.memory.host.slab-size"));
    }

    @Test
    void whenVerbsAreForcedThenTheErrorSaysWhatIsMissing() {
        ProviderSelector selector = new ProviderSelector(
                bound("fabric.provider=verbs"), () -> new SoftVerbsProvider(SoftDeviceOptions.defaults()), List::of);
        Throwable failure = catchFailure(selector);
        assertExplained(failure, "fabric-native is not on the class path", "fabric.provider=soft");
    }

    private static Throwable catchFailure(ProviderSelector selector) {
        return catchThrowable(selector::select);
    }

    private FabricProperties bound(String property) {
        FabricProperties[] holder = new FabricProperties[1];
        new ApplicationContextRunner()
                .withUserConfiguration(Properties.class)
                .withPropertyValues(property)
                .run(context -> holder[0] = context.getBean(FabricProperties.class));
        return holder[0];
    }

    @EnableConfigurationProperties(FabricProperties.class)
    static class Properties {}

    @Test
    void whenAGpuIsRequiredWithoutOneThenTheErrorSaysWhy() {
        runner.withPropertyValues("fabric.gpu.enabled=false", "fabric.gpu.direct=required")
                .run(context -> assertExplained(
                        context.getStartupFailure(), "asks for a GPU, and there is none", "fabric.gpu"));
    }

    @Test
    void whenTheNegotiationsPathCoversAnotherOneThenStartFails() {
        WebApplicationContextRunner web = new WebApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues("fabric.provider=soft", "fabric.memory.host.slab-size=8MB");
        web.withPropertyValues("fabric.negotiation.path=/actuator")
                .run(context -> assertExplained(
                        context.getStartupFailure(),
                        "'fabric.negotiation.path' is /actuator, which takes the calls for Actuator's endpoints",
                        "fabric.negotiation.path"));
        web.withPropertyValues("fabric.negotiation.path=/api", "spring.mvc.servlet.path=/api/v2")
                .run(context -> assertExplained(
                        context.getStartupFailure(), "the application's controllers below /api/v2", "spring.mvc"));
        web.withPropertyValues("fabric.negotiation.path=/actuator", "server.port=8080", "management.server.port=9090")
                .run(context -> assertThat(context).hasNotFailed());
        web.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void whenThereIsNothingToNegotiateByThenTheActionNamesTheLibrary() {
        runner.withClassLoader(new FilteredClassLoader(RestClientCustomizer.class))
                .run(context -> assertExplained(
                        context.getStartupFailure(), "nothing to negotiate with peers by", "spring-boot-restclient"));
    }

    /** As a file or the environment has it. */
    private ApplicationContextRunner with(PropertySource<?> source) {
        return runner.withInitializer(
                context -> context.getEnvironment().getPropertySources().addFirst(source));
    }

    private void assertPeerFails(String property, String description, String action) {
        with(new MapPropertySource("file", Map.of(property, "x")))
                .run(context -> assertExplained(context.getStartupFailure(), description, action));
    }

    @Test
    void whenAPeerIsWrittenAsAMapThenTheActionShowsItAsAList() {
        assertPeerFails(
                "fabric.peers.10.0.0.5:8080",
                "'fabric.peers.10.0.0.5:8080'",
                "Write 'fabric.peers[0].name=NAME' and 'fabric.peers[0].url=10.0.0.5:8080'");
        assertPeerFails("fabric.peers[10.0.0.5:8080]", "is a list", "'fabric.peers[0].url=10.0.0.5:8080'");
        assertPeerFails("fabric.peers.ranker.url", "is a list", "'fabric.peers[0].name=ranker'");
        with(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment", Map.of("FABRIC_PEERS_NODEA", "https://node-a:8443")))
                .run(context ->
                        assertExplained(context.getStartupFailure(), "'FABRIC_PEERS_NODEA'", "FABRIC_PEERS_0_NAME"));
        with(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment",
                        Map.of(
                                "FABRIC_PEERS_0_NAME",
                                "a",
                                "FABRIC_PEERS_0_URL",
                                "https://a",
                                "FABRIC_PEERS_0_NODEID",
                                "b")))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void whenSpringBootIsTooOldThenTheErrorNamesBothVersions() {
        Throwable failure = catchThrowable(
                () -> new BootVersionCheck("3.5.6").postProcessBeanFactory(new DefaultListableBeanFactory()));
        assertExplained(failure, "made for Spring Boot 4, and this application has 3.5.6", "Use Spring Boot 4");
        for (String fits : List.of("4.0.7", "4.1.2", "5.0.0-M1", "unknown")) {
            assertThatCode(() -> new BootVersionCheck(fits).postProcessBeanFactory(new DefaultListableBeanFactory()))
                    .doesNotThrowAnyException();
        }
    }
}

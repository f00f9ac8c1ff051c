package io.tensorfabric.test;

import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.connection.NegotiationClient;
import io.tensorfabric.connection.NegotiationHandler;
import io.tensorfabric.connection.PeerDirectory;
import io.tensorfabric.verbs.VerbsProvider;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.TestPropertySourceUtils;

/**
 * Puts peers in the same process into an application before it starts. Equal for equal peers, so that contexts are shared.
 *
 * @param names names of the peers; empty for those of the application
 */
record TestFabricContextCustomizer(List<String> names) implements ContextCustomizer {

    private static final String DEFAULT_NAME = "test-peer";

    private static final String DEVICE = "soft0";

    TestFabricContextCustomizer {
        names = List.copyOf(names);
    }

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        addProperties(context.getEnvironment());
        List<String> peers = names.isEmpty() ? configured(context.getEnvironment()) : names;
        TestFabricNetwork network = new TestFabricNetwork(peers, () -> context.getBean(NegotiationHandler.class));
        BeanDefinitionRegistry beans = (BeanDefinitionRegistry) context.getBeanFactory();
        register(
                beans,
                "testFabricProvider",
                VerbsProvider.class,
                () -> new SoftVerbsProvider(SoftDeviceOptions.defaults().withName(DEVICE)));
        register(beans, "testFabricDirectory", PeerDirectory.class, network::peersOfTheApplication);
        register(
                beans,
                "testFabricClient",
                NegotiationClient.class,
                () -> network.client(TestFabricNetwork.APPLICATION));
        for (String peer : peers) {
            register(beans, peer, FabricTestPeer.class, () -> new FabricTestPeer(peer, network));
        }
    }

    private static <T> void register(
            BeanDefinitionRegistry beans, String name, Class<T> type, Supplier<? extends T> supplier) {
        RootBeanDefinition definition = new RootBeanDefinition(type);
        definition.setInstanceSupplier(supplier);
        beans.registerBeanDefinition(name, definition);
    }

    private static List<String> configured(ConfigurableEnvironment environment) {
        List<String> peers = Binder.get(environment)
                .bind("fabric.peers", Bindable.listOf(FabricProperties.Peer.class))
                .orElse(List.of())
                .stream()
                .map(FabricProperties.Peer::name)
                .toList();
        return peers.isEmpty() ? List.of(DEFAULT_NAME) : peers;
    }

    /** Above what the application says, below what its test says. */
    private static void addProperties(ConfigurableEnvironment environment) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("fabric.device", DEVICE);
        properties.put("fabric.port", 1);
        properties.put("fabric.gid-index", 0);
        properties.put("fabric.gpu.enabled", false);
        properties.put("fabric.memory.host.slab-size", "16MB");
        properties.put("fabric.landing.zone-size", "4MB");
        properties.put("fabric.node-id", TestFabricNetwork.APPLICATION);
        properties.put("fabric.security.shared-secret", UUID.randomUUID().toString());
        MutablePropertySources sources = environment.getPropertySources();
        MapPropertySource source = new MapPropertySource("testFabric", properties);
        if (sources.contains(TestPropertySourceUtils.INLINED_PROPERTIES_PROPERTY_SOURCE_NAME)) {
            sources.addAfter(TestPropertySourceUtils.INLINED_PROPERTIES_PROPERTY_SOURCE_NAME, source);
        } else {
            sources.addFirst(source);
        }
    }
}

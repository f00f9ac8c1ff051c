package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.connection.NegotiationClient;
import io.tensorfabric.connection.NodeIdentity;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.ssl.SslBundles;

/** Makes clients as the auto-configuration does. */
final class Clients {

    static final NodeIdentity SELF = new NodeIdentity("caller", "caller-start-1");

    private Clients() {}

    static FabricProperties properties(String... pairs) {
        Map<String, String> map = new HashMap<>();
        map.put("fabric.enabled", "true");
        for (String pair : pairs) {
            map.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
        }
        return new Binder(new MapConfigurationPropertySource(map))
                .bind("fabric", FabricProperties.class)
                .get();
    }

    static NegotiationClient client(String... pairs) {
        StaticListableBeanFactory none = new StaticListableBeanFactory();
        FabricNegotiationClientAutoConfiguration configuration = new FabricNegotiationClientAutoConfiguration();
        return configuration.fabricNegotiationClient(
                properties(pairs),
                SELF,
                none.getBeanProvider(RestClientCustomizer.class),
                none.getBeanProvider(SslBundles.class));
    }
}

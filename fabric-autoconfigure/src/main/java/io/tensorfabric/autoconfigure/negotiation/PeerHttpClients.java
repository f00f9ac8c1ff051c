package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.FabricProperties;
import java.net.http.HttpClient;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpRedirects;
import org.springframework.boot.http.client.JdkHttpClientBuilder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * The HTTP client towards peers, made on first use and again when its SSL bundle changes. It follows no redirects, uses no
 * proxy, since peers are near, and caches no addresses. Thread-safe.
 */
final class PeerHttpClients implements Supplier<HttpClient> {

    private final FabricProperties.Negotiation properties;

    private final @Nullable SslBundles bundles;

    private @Nullable HttpClient client;

    PeerHttpClients(FabricProperties.Negotiation properties, @Nullable SslBundles bundles) {
        this.properties = properties;
        this.bundles = bundles;
    }

    @Override
    public synchronized HttpClient get() {
        HttpClient current = client;
        if (current == null) {
            current = build(bundle());
            client = current;
        }
        return current;
    }

    private @Nullable SslBundle bundle() {
        String name = properties.ssl().bundle();
        if (name == null) {
            return null;
        }
        if (bundles == null) {
            throw new IllegalStateException(
                    "'fabric.negotiation.ssl.bundle' names '" + name + "', but there are no SSL bundles");
        }
        SslBundle bundle = bundles.getBundle(name);
        bundles.addBundleUpdateHandler(name, this::replace);
        return bundle;
    }

    private synchronized void replace(SslBundle bundle) {
        client = build(bundle);
    }

    private HttpClient build(@Nullable SslBundle bundle) {
        HttpClientSettings settings = HttpClientSettings.defaults()
                .withRedirects(HttpRedirects.DONT_FOLLOW)
                .withConnectTimeout(properties.connectTimeout());
        return new JdkHttpClientBuilder()
                .withCustomizer(builder -> builder.version(HttpClient.Version.HTTP_1_1)
                        .proxy(HttpClient.Builder.NO_PROXY))
                .build(bundle == null ? settings : settings.withSslBundle(bundle));
    }
}

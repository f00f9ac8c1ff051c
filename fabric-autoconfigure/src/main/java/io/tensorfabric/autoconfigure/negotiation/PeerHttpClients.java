package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.FabricProperties;
import java.net.http.HttpClient;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpRedirects;
import org.springframework.boot.http.client.JdkHttpClientBuilder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * The HTTP client towards peers, made on first use and again when its SSL bundle changes. It follows no redirects, uses no
 * proxy, since peers are near, and caches no addresses. Thread-safe.
 */
final class PeerHttpClients implements Supplier<HttpClient>, AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(PeerHttpClients.class);

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
        JdkHttpClientBuilder builder = new JdkHttpClientBuilder()
                .withCustomizer(
                        http -> http.version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY));
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        // The client's thread inherits it and, on Java 17, outlives the web server, which would report a leak.
        thread.setContextClassLoader(PeerHttpClients.class.getClassLoader());
        try {
            return builder.build(bundle == null ? settings : settings.withSslBundle(bundle));
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Ends the client's threads where Java can (21 and later); else they end when the client is collected. */
    @Override
    public synchronized void close() {
        HttpClient ending = client;
        client = null;
        if (ending instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception ex) {
                logger.warn("The HTTP client towards peers did not close cleanly", ex);
            }
        }
    }
}

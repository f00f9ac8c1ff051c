package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.autoconfigure.discovery.PeerSources;
import io.tensorfabric.connection.NegotiationClient;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.PeerDirectory;
import java.time.Clock;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.http.client.JdkHttpClientBuilder;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.web.client.RestClient;

/** Auto-configuration of the calling end of the negotiation. */
@AutoConfiguration(afterName = "org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration")
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnClass({RestClient.class, RestClientCustomizer.class, JdkHttpClientBuilder.class})
@EnableConfigurationProperties(FabricProperties.class)
public final class FabricNegotiationClientAutoConfiguration {

    FabricNegotiationClientAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    NegotiationClient fabricNegotiationClient(
            FabricProperties properties,
            NodeIdentity self,
            ObjectProvider<RestClientCustomizer> customizers,
            ObjectProvider<SslBundles> sslBundles) {
        FabricProperties.Negotiation negotiation = properties.negotiation();
        FabricProperties.Security security = properties.security();
        NegotiationJson json = new NegotiationJson();
        PeerHttpClients http = new PeerHttpClients(negotiation, sslBundles.getIfAvailable());
        NegotiationTransport transport = new NegotiationTransport(
                builder(customizers),
                http,
                negotiation.path(),
                security.allowPlaintext(),
                Math.toIntExact(negotiation.maxBodySize().toBytes()));
        SealedExchange exchange = new SealedExchange(
                transport,
                new AnswerFailures(json),
                security.sharedSecret() == null ? null : new MessageSigner(security.sharedSecret()),
                self,
                Clock.systemUTC());
        return new HttpNegotiationClient(exchange, json, http);
    }

    @Bean
    NoServerNotice fabricNoServerNotice(
            BeanFactory beans, ObjectProvider<PeerDirectory> peers, ObjectProvider<PeerSources> sources) {
        return new NoServerNotice(beans, peers, sources);
    }

    /** Not the application's own builder, which would bring an HTTP client that is never used; but customised alike. */
    private static RestClient.Builder builder(ObjectProvider<RestClientCustomizer> customizers) {
        RestClient.Builder builder = RestClient.builder();
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder;
    }
}

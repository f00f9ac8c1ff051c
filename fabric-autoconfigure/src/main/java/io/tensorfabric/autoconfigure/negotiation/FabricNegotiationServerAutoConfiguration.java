package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.autoconfigure.PropertiesPeerPolicy;
import io.tensorfabric.autoconfigure.resilience.NegotiationRates;
import io.tensorfabric.connection.ConnectionListener;
import io.tensorfabric.connection.ConnectionState;
import io.tensorfabric.connection.NegotiationHandler;
import jakarta.servlet.Servlet;
import java.time.Clock;
import org.apache.catalina.valves.ValveBase;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Auto-configuration of the answering end of the negotiation, on the web server of the service. */
@AutoConfiguration(after = FabricAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnClass({Servlet.class, ServletRegistrationBean.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(NegotiationHandler.class)
public final class FabricNegotiationServerAutoConfiguration {

    static final String SERVLET = "fabricNegotiationServlet";

    FabricNegotiationServerAutoConfiguration() {}

    @Bean
    CallerLimits fabricCallerLimits(FabricProperties properties) {
        return new CallerLimits(
                properties.negotiation().maxCallsPerPeer(),
                properties.negotiation().maxConnectionsPerAddress(),
                properties.landing().zonesPerAddress(properties.memory()));
    }

    /** Gives back what connections occupied when they are gone. */
    @Bean
    ConnectionListener fabricCallerLimitsListener(CallerLimits limits) {
        return (connection, from, to) -> {
            if (to == ConnectionState.DOWN) {
                limits.closed(connection.id());
            }
        };
    }

    @Bean(SERVLET)
    @ConditionalOnMissingBean(name = SERVLET)
    ServletRegistrationBean<NegotiationServlet> fabricNegotiationServlet(
            FabricProperties properties,
            NegotiationHandler handler,
            CallerLimits limits,
            NegotiationRates rates,
            Environment environment) {
        NegotiationPathCheck.check(properties.negotiation().path(), environment);
        FabricProperties.Security security = properties.security();
        NegotiationService service = new NegotiationService(
                new CallerPolicy(security),
                new RequestAuthenticator(security, Clock.systemUTC()),
                security.mutualTls() ? new CertificateCheck(new PropertiesPeerPolicy(security.allowedPeers())) : null,
                limits,
                rates,
                handler,
                new NegotiationJson());
        ServletRegistrationBean<NegotiationServlet> registration = new ServletRegistrationBean<>(
                new NegotiationServlet(service, properties.negotiation()),
                properties.negotiation().path() + "/*");
        registration.setName(SERVLET);
        registration.setAsyncSupported(true);
        return registration;
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "fabric.security.mutual-tls")
    ClientCertificateWarning fabricClientCertificateWarning(Environment environment) {
        return new ClientCertificateWarning(environment);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ValveBase.class, ConfigurableTomcatWebServerFactory.class})
    static class TomcatConfiguration {

        @Bean
        TomcatRefusals fabricTomcatRefusals(FabricProperties properties) {
            return new TomcatRefusals(properties.negotiation().path());
        }
    }
}

package io.tensorfabric.autoconfigure.security;

import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationServerAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;

/**
 * Auto-configuration for applications with Spring Security: the negotiation gets a filter chain of its own, for its path
 * only, which lets calls pass without CSRF tokens and sessions, since the negotiation authenticates its callers itself. All
 * other paths stay as the application, or Spring Boot, protects them.
 *
 * <p>It comes last of all auto-configurations: those of Spring Boot protect an application only while it has no filter
 * chain, and must not see this one.
 */
@AutoConfiguration(
        after = FabricNegotiationServerAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
            "org.springframework.boot.security.oauth2.client.autoconfigure.servlet.OAuth2ClientWebSecurityAutoConfiguration",
            "org.springframework.boot.security.oauth2.server.resource.autoconfigure.servlet.OAuth2ResourceServerAutoConfiguration",
            "org.springframework.boot.security.saml2.autoconfigure.Saml2RelyingPartyAutoConfiguration"
        })
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnClass({HttpSecurity.class, SecurityFilterChain.class, PathPatternRequestMatcher.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(name = "fabricNegotiationServlet", value = HttpSecurity.class)
public final class FabricSecurityAutoConfiguration {

    private static final String CHAIN = "fabricNegotiationSecurityFilterChain";

    /** Before the chains of applications, of which one mostly takes every path. */
    private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

    FabricSecurityAutoConfiguration() {}

    @Bean(CHAIN)
    @ConditionalOnMissingBean(name = CHAIN)
    @Order(ORDER)
    SecurityFilterChain fabricNegotiationSecurityFilterChain(HttpSecurity http, FabricProperties properties) {
        String path = properties.negotiation().path() + "/**";
        return http.securityMatcher(PathPatternRequestMatcher.withDefaults().matcher(path))
                .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .csrf(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .build();
    }
}

package io.tensorfabric.service.dashboard;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The files of the page. They load nothing from elsewhere, as their Content-Security-Policy says. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = DashboardPage.PROPERTY, matchIfMissing = true)
class DashboardPage implements WebMvcConfigurer {

    /** Switches the page off when false. */
    static final String PROPERTY = "tensor-service.dashboard.enabled";

    @Override
    public void addResourceHandlers(ResourceHandlerRegistry registry) {
        registry.addResourceHandler("/fabric/page/**")
                .addResourceLocations("classpath:/dashboard/")
                .setCacheControl(CacheControl.noCache());
    }
}

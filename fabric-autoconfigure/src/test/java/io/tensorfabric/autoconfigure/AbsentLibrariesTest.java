package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.autoconfigure.actuate.FabricEndpointAutoConfiguration;
import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryClientAutoConfiguration;
import io.tensorfabric.autoconfigure.event.FabricEventAutoConfiguration;
import io.tensorfabric.autoconfigure.health.FabricHealthContributorAutoConfiguration;
import io.tensorfabric.autoconfigure.info.FabricInfoContributorAutoConfiguration;
import io.tensorfabric.autoconfigure.listener.FabricListenerAutoConfiguration;
import io.tensorfabric.autoconfigure.metrics.FabricMetricsAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationServerAutoConfiguration;
import io.tensorfabric.autoconfigure.observation.FabricObservationAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceMetricsAutoConfiguration;
import io.tensorfabric.autoconfigure.security.FabricSecurityAutoConfiguration;
import io.tensorfabric.transfer.TensorTransferService;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** A web application that lacks one of the libraries that the fabric can do without. */
class AbsentLibrariesTest {

    private static final AutoConfigurations ALL = AutoConfigurations.of(
            FabricAutoConfiguration.class,
            FabricDiscoveryAutoConfiguration.class,
            FabricDiscoveryClientAutoConfiguration.class,
            FabricEndpointAutoConfiguration.class,
            FabricEventAutoConfiguration.class,
            FabricHealthContributorAutoConfiguration.class,
            FabricInfoContributorAutoConfiguration.class,
            FabricListenerAutoConfiguration.class,
            FabricMetricsAutoConfiguration.class,
            FabricNegotiationClientAutoConfiguration.class,
            FabricNegotiationServerAutoConfiguration.class,
            FabricObservationAutoConfiguration.class,
            FabricResilienceAutoConfiguration.class,
            FabricResilienceMetricsAutoConfiguration.class,
            FabricSecurityAutoConfiguration.class);

    private static final String[] SMALL = {
        "fabric.provider=soft",
        "fabric.node-id=ranker-1",
        "fabric.memory.host.slab-size=8MB",
        "fabric.memory.host.max-size=32MB"
    };

    private final WebApplicationContextRunner runner =
            new WebApplicationContextRunner().withConfiguration(ALL).withPropertyValues(SMALL);

    @ParameterizedTest
    @CsvSource({
        "Spring Security, org.springframework.security",
        "Boot's support of Spring Security, org.springframework.boot.security",
        "Micrometer, io.micrometer",
        "Resilience4j's meters, io.github.resilience4j.micrometer",
        "Actuator, org.springframework.boot.actuate",
        "Boot's health, org.springframework.boot.health",
        "Spring Cloud, org.springframework.cloud",
        "JCuda, jcuda",
        "Tomcat, org.apache.catalina",
        "Spring MVC, org.springframework.web.servlet",
        "Resilience4j's Spring Boot starter, io.github.resilience4j.springboot",
    })
    void whenALibraryIsAbsentThenTheNodeRunsWithoutIt(String library, String packages) {
        runner.withClassLoader(new FilteredClassLoader(packages)).run(context -> {
            assertThat(context).as("without %s", library).hasNotFailed().hasSingleBean(TensorTransferService.class);
            assertThat(context.getBean(FabricLifecycle.class).isRunning()).isTrue();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "servlets, jakarta.servlet",
        "Boot's servlet support, org.springframework.boot.web.servlet",
        "Spring's web support, org.springframework.web.context",
    })
    void whenAnApplicationHasNoWebThenTheNodeRunsAndAnswersNobody(String library, String packages) {
        new ApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues(SMALL)
                .withClassLoader(new FilteredClassLoader(packages))
                .run(context -> {
                    assertThat(context)
                            .as("without %s", library)
                            .hasNotFailed()
                            .hasSingleBean(TensorTransferService.class);
                    assertThat(context.getBean(FabricLifecycle.class).isRunning())
                            .isTrue();
                    assertThat(context.containsBean("fabricNegotiationServlet")).isFalse();
                });
    }

    @Test
    void whenTheInfoEndpointIsReadThenItSaysWhatTheNodeIs() {
        // Another test of this process may have loaded the stub of the driver.
        runner.withPropertyValues("fabric.gpu.enabled=false").run(context -> {
            Info.Builder info = new Info.Builder();
            context.getBean(InfoContributor.class).contribute(info);
            assertThat(info.build().get("fabric"))
                    .isEqualTo(Map.of("nodeId", "ranker-1", "provider", "soft", "device", "soft0", "gpus", 0));
        });
        runner.withPropertyValues("management.info.fabric.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(InfoContributor.class));
    }
}

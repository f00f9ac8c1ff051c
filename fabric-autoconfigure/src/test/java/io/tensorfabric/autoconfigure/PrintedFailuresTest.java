package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** What is printed, and nothing else, when properties of an application make no sense. */
@ExtendWith(OutputCaptureExtension.class)
class PrintedFailuresTest {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        FabricAutoConfiguration.class,
        FabricDiscoveryAutoConfiguration.class,
        FabricNegotiationClientAutoConfiguration.class,
        FabricResilienceAutoConfiguration.class
    })
    static class Application {}

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "fabric.security.mutual-tls=true fabric.security.allow-plaintext=true"
                        + "| 'fabric.security.mutual-tls' is invalid"
                        + "| where \"fabric.security.allow-plaintext\" is true: set one of the two",
                "fabric.memory.host.slab-size=-1MB| 'fabric.memory.host.slab-size' is invalid| It must be at least 4096B",
                "fabric.memory.host.max-size=64MiB| 'fabric.memory.host.max-size' is invalid| Write 64MB;",
                "fabric.memory.host.max-size=1.5GB| 'fabric.memory.host.max-size' is invalid| Write 1536MB;",
                "fabric.transfer.deadline=7| 'fabric.transfer.deadline' is invalid: It has no unit| Write 7s",
                "fabric.security.clock-skew=5sec| 'fabric.security.clock-skew' is invalid| as 1500ms",
                "fabric.transfer.deadline=-5s"
                        + "| 'fabric.transfer.deadline' is invalid: It must be longer than zero. It was set by"
                        + "| from property source \"commandLineArgs\"",
                "fabric.security.shared-secret=short| 'fabric.security.shared-secret' is invalid| at least 16 characters",
                "fabric.provider=ibverb| fabric.provider| AUTO",
                "fabric.pol=1| fabric.pol| left unbound",
                "fabric.peers.10.0.0.5:8080=x| is a list| fabric.peers[0].url=10.0.0.5:8080",
                "fabric.peers[0].name=a| 'fabric.peers[].url' is invalid| A peer needs a url",
                "fabric.device=mlx5_9| There is soft0| Set 'fabric.device'",
                "fabric.provider=verbs fabric.device=none| no verbs device can be used| fabric.provider=soft",
            })
    void whenPropertiesMakeNoSenseThenAPersonReadsWhichAndWhatToWrite(
            String properties, String description, String action, CapturedOutput output) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        List<String> arguments = new ArrayList<>();
        if (!properties.contains("fabric.provider")) {
            arguments.add("--fabric.provider=soft");
        }
        for (String property : properties.split(" ", -1)) {
            arguments.add("--" + property);
        }
        assertThatThrownBy(() -> application.run(arguments.toArray(String[]::new)))
                .isInstanceOf(RuntimeException.class);
        String printed = output.getAll();
        assertThat(printed).contains("APPLICATION FAILED TO START", "Description:", "Action:");
        assertThat(printed.substring(printed.indexOf("APPLICATION FAILED TO START")))
                .contains(description, action)
                .doesNotContain("\tat ");
    }
}

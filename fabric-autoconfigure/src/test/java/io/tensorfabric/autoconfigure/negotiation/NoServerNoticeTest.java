package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.connection.NegotiationClient;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class NoServerNoticeTest {

    private static final AutoConfigurations ALL = AutoConfigurations.of(
            FabricAutoConfiguration.class,
            FabricDiscoveryAutoConfiguration.class,
            FabricNegotiationClientAutoConfiguration.class,
            FabricNegotiationServerAutoConfiguration.class,
            FabricResilienceAutoConfiguration.class);

    private static final String[] SMALL = {"fabric.provider=soft", "fabric.memory.host.slab-size=8MB"};

    private static final String NOTICE = "No servlet web server answers peers here";

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(ALL).withPropertyValues(SMALL);

    @Test
    void whenNobodyCanBeReachedEitherThenTheWarningSaysWhatToAdd(CapturedOutput output) {
        runner.run(context -> assertThat(context).hasNotFailed());
        assertThat(output.getAll().lines())
                .filteredOn(line -> line.contains(NOTICE))
                .singleElement()
                .asString()
                .contains("WARN", "spring-boot-starter-webmvc", "'fabric.peers'");
    }

    @Test
    void whenTheWebServerIsAReactiveOneThenItCannotAnswer(CapturedOutput output) {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues(SMALL)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains(NOTICE);
    }

    @Test
    void whenThereArePeersToConnectToThenThereIsNoWarning(CapturedOutput output) {
        runner.withPropertyValues("fabric.peers=ranker=https://ranker")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(NoServerNotice.class));
        assertThat(output).doesNotContain(NOTICE);
    }

    @Test
    void whenThereIsAServerOrAnotherWayToNegotiateThenThereIsNothingToSay(CapturedOutput output) {
        new WebApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues(SMALL)
                .run(context -> assertThat(context).hasNotFailed());
        NegotiationClient own = (NegotiationClient) Proxy.newProxyInstance(
                NegotiationClient.class.getClassLoader(),
                new Class<?>[] {NegotiationClient.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        runner.withBean(NegotiationClient.class, () -> own)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(NOTICE);
    }
}

package io.tensorfabric.autoconfigure.event;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the events in {@code io.tensorfabric.event}. */
@AutoConfiguration(beforeName = "io.tensorfabric.autoconfigure.FabricAutoConfiguration")
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
public final class FabricEventAutoConfiguration {

    FabricEventAutoConfiguration() {}

    @Bean
    FabricEvents fabricEvents(ApplicationEventPublisher publisher) {
        return new FabricEvents(publisher, FabricEvents.MOST_WAITING);
    }
}

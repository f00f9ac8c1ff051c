package io.tensorfabric.autoconfigure.observation;

import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.observation.ListenerObservationConvention;
import io.tensorfabric.observation.PushObservationConvention;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of observations of pushes and listeners, where there is an {@link ObservationRegistry}. */
@AutoConfiguration(beforeName = "io.tensorfabric.autoconfigure.FabricAutoConfiguration")
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "fabric.observation.enabled", matchIfMissing = true)
@ConditionalOnClass(ObservationRegistry.class)
public final class FabricObservationAutoConfiguration {

    FabricObservationAutoConfiguration() {}

    /** Asks for nothing before it is needed: it is made before nearly all other beans. */
    @Bean
    static ObservingBeanPostProcessor fabricObservingBeanPostProcessor(
            ObjectProvider<ObservationRegistry> registry,
            ObjectProvider<FabricProperties> properties,
            ObjectProvider<PushObservationConvention> pushes,
            ObjectProvider<ListenerObservationConvention> listeners,
            ObjectProvider<GlobalObservationConvention<?>> global,
            Environment environment) {
        return new ObservingBeanPostProcessor(
                registry, properties, pushes, listeners, global, new ObservationSwitches(environment));
    }
}

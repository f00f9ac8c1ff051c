package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.transfer.TensorListenerRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@link io.tensorfabric.annotation.TensorListener} methods. */
@AutoConfiguration(after = FabricAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnBean(TensorListenerRegistry.class)
public final class FabricListenerAutoConfiguration {

    FabricListenerAutoConfiguration() {}

    @Bean
    static TensorListenerBeanPostProcessor fabricTensorListenerBeanPostProcessor() {
        return new TensorListenerBeanPostProcessor();
    }

    @Bean
    TensorListenerLifecycle fabricTensorListenerLifecycle(
            TensorListenerBeanPostProcessor processor, TensorListenerRegistry registry) {
        return new TensorListenerLifecycle(processor, registry);
    }
}

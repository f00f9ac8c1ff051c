package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.listener.DefaultTensorListenerContainerFactory;
import io.tensorfabric.listener.TensorListenerContainerFactory;
import io.tensorfabric.listener.TensorListenerEndpointRegistry;
import io.tensorfabric.listener.TensorListenerErrorHandler;
import io.tensorfabric.transfer.TensorListenerRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of {@link io.tensorfabric.annotation.TensorListener} methods and of listeners by program. */
@AutoConfiguration(after = FabricAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnBean(TensorListenerRegistry.class)
@EnableConfigurationProperties(FabricProperties.class)
public final class FabricListenerAutoConfiguration {

    FabricListenerAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    TensorListenerEndpointRegistry fabricTensorListenerEndpointRegistry(
            @Qualifier(TensorListenerContainerFactory.DEFAULT_BEAN_NAME) TensorListenerContainerFactory factory) {
        return new TensorListenerEndpointRegistry(factory);
    }

    @Bean(TensorListenerContainerFactory.DEFAULT_BEAN_NAME)
    @ConditionalOnMissingBean(name = TensorListenerContainerFactory.DEFAULT_BEAN_NAME)
    DefaultTensorListenerContainerFactory tensorListenerContainerFactory(
            TensorListenerRegistry registry,
            FabricProperties properties,
            ObjectProvider<TensorListenerErrorHandler> errorHandler,
            Environment environment) {
        return new DefaultTensorListenerContainerFactory(registry)
                .withConcurrency(properties.listener().concurrency())
                .withAutoStartup(properties.listener().autoStartup())
                .withErrorHandler(errorHandler.getIfUnique())
                .withVirtualThreads(Threading.VIRTUAL.isActive(environment));
    }

    @Bean
    static TensorListenerBeanPostProcessor fabricTensorListenerBeanPostProcessor() {
        return new TensorListenerBeanPostProcessor();
    }
}

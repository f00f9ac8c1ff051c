package io.tensorfabric.autoconfigure.observation;

import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.listener.DefaultTensorListenerContainerFactory;
import io.tensorfabric.observation.ListenerObservationConvention;
import io.tensorfabric.observation.PushObservationConvention;
import io.tensorfabric.transfer.TensorTransferService;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Puts observations around the service that pushes and around the handlers of listeners. */
final class ObservingBeanPostProcessor implements BeanPostProcessor {

    private final ObjectProvider<ObservationRegistry> registry;

    private final ObjectProvider<FabricProperties> properties;

    private final ObjectProvider<PushObservationConvention> pushes;

    private final ObjectProvider<ListenerObservationConvention> listeners;

    private final ObjectProvider<GlobalObservationConvention<?>> global;

    private final ObservationSwitches switches;

    ObservingBeanPostProcessor(
            ObjectProvider<ObservationRegistry> registry,
            ObjectProvider<FabricProperties> properties,
            ObjectProvider<PushObservationConvention> pushes,
            ObjectProvider<ListenerObservationConvention> listeners,
            ObjectProvider<GlobalObservationConvention<?>> global,
            ObservationSwitches switches) {
        this.registry = registry;
        this.properties = properties;
        this.pushes = pushes;
        this.listeners = listeners;
        this.global = global;
        this.switches = switches;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof TensorTransferService transfers) {
            ObservationRegistry present = registry.getIfAvailable();
            return present == null || areOff(pushes, "fabric.push", "fabric.pull", "fabric.put")
                    ? bean
                    : new ObservedTransfers(transfers, present, pushes.getIfUnique(), maxHeaderBytes());
        }
        if (bean instanceof DefaultTensorListenerContainerFactory factory) {
            ObservationRegistry present = registry.getIfAvailable();
            return present == null || areOff(listeners, "fabric.listener")
                    ? bean
                    : factory.withDecorator(handler -> new ObservedHandler(handler, present, listeners.getIfUnique()));
        }
        return bean;
    }

    /** Not where the application may have given them other names. */
    private boolean areOff(ObjectProvider<?> conventions, String... names) {
        return switches.areOff(names)
                && conventions.stream().findAny().isEmpty()
                && global.stream().findAny().isEmpty();
    }

    private int maxHeaderBytes() {
        return Math.toIntExact(
                properties.getObject().transfer().maxHeadersSize().toBytes());
    }
}

package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.listener.InvalidTensorListenerException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds annotated methods as beans are made, behind all their proxies, and registers them once all singletons are there; those
 * of later beans at once.
 */
final class TensorListenerBeanPostProcessor implements BeanPostProcessor, BeanFactoryAware, SmartInitializingSingleton {

    private final Set<Class<?>> without = ConcurrentHashMap.newKeySet();

    private final List<ListenerMethod> found = new ArrayList<>();

    private @Nullable ConfigurableListableBeanFactory beans;

    private @Nullable ListenerMethods registrar;

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beans = (ConfigurableListableBeanFactory) beanFactory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopUtils.getTargetClass(bean);
        if (bean instanceof AopInfrastructureBean || without.contains(type)) {
            return bean;
        }
        if (!AnnotationUtils.isCandidateClass(type, TensorListener.class)) {
            return bean;
        }
        Map<Method, TensorListener> annotated =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<TensorListener>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, TensorListener.class));
        if (annotated.isEmpty()) {
            without.add(type);
            return bean;
        }
        requireSingleton(beanName, type);
        annotated.forEach((method, annotation) -> add(new ListenerMethod(bean, beanName, method, annotation)));
        return bean;
    }

    private void requireSingleton(String beanName, Class<?> type) {
        if (beans != null && beans.containsBean(beanName) && !beans.isSingleton(beanName)) {
            throw new InvalidTensorListenerException(
                    "Bean '" + beanName + "' of " + type.getName()
                            + " has @TensorListener methods, so it must be a singleton",
                    "Make the bean a singleton, or register its instances by program with"
                            + " TensorListenerEndpointRegistry.register.");
        }
    }

    private synchronized void add(ListenerMethod method) {
        if (registrar != null) {
            registrar.register(method);
        } else {
            found.add(method);
        }
    }

    @Override
    public synchronized void afterSingletonsInstantiated() {
        if (beans != null) {
            ListenerMethods present = new ListenerMethods(beans);
            found.forEach(present::register);
            found.clear();
            registrar = present;
        }
    }
}

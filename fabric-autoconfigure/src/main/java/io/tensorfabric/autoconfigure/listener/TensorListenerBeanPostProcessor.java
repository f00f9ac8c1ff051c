package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.annotation.TensorListener;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Collects annotated methods as beans are made, behind all their proxies. */
final class TensorListenerBeanPostProcessor implements BeanPostProcessor, BeanFactoryAware {

    private final Set<Class<?>> without = ConcurrentHashMap.newKeySet();

    private final List<ListenerMethod> methods = new ArrayList<>();

    private @Nullable Consumer<ListenerMethod> sink;

    private @Nullable BeanFactory beanFactory;

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
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
        annotated.forEach((method, annotation) -> add(ListenerMethod.of(bean, beanName, method, annotation)));
        return bean;
    }

    private void requireSingleton(String beanName, Class<?> type) {
        if (beanFactory != null && beanFactory.containsBean(beanName) && !beanFactory.isSingleton(beanName)) {
            throw new IllegalStateException("Bean '" + beanName + "' of " + type.getName()
                    + " has @TensorListener methods, so it must be a singleton");
        }
    }

    private synchronized void add(ListenerMethod method) {
        methods.add(method);
        if (sink != null) {
            sink.accept(method);
        }
    }

    /** Hands over all methods found so far, and each further one as it is found; {@code null} ends that. */
    synchronized void forward(@Nullable Consumer<ListenerMethod> target) {
        sink = target;
        if (target != null) {
            methods.forEach(target);
        }
    }
}

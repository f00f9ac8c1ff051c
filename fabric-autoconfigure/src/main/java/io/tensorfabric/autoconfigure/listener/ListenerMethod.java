package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.listener.InvalidTensorListenerException;
import java.lang.reflect.Method;
import org.springframework.core.MethodParameter;

/**
 * An annotated method of a bean.
 *
 * @param bean the bean, with its proxies
 * @param beanName its name
 * @param method as declared in the bean's class
 * @param annotation says what the method listens to
 */
record ListenerMethod(Object bean, String beanName, Method method, TensorListener annotation) {

    InvalidTensorListenerException invalid(String problem, String action) {
        return new InvalidTensorListenerException(
                "Bean '" + beanName + "': @TensorListener method " + method.toGenericString() + " " + problem, action);
    }

    InvalidTensorListenerException invalid(MethodParameter parameter, String problem, String action) {
        String name = parameter.getParameterName();
        String which = "parameter " + parameter.getParameterIndex() + (name == null ? "" : " '" + name + "'")
                + " of type " + parameter.getGenericParameterType().getTypeName();
        return invalid("has " + which + ", " + problem, action);
    }
}

package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorReceiver;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/** An annotated method of a bean, called through the bean's proxies. Closes each tensor after the call. Thread-safe. */
final class ListenerMethod implements TensorReceiver {

    private final Object bean;

    private final Method method;

    private final String id;

    private final List<String> names;

    private final List<String> peers;

    private ListenerMethod(Object bean, Method method, String id, TensorListener annotation) {
        this.bean = bean;
        this.method = method;
        this.id = id;
        this.names = List.of(annotation.names());
        this.peers = List.of(annotation.peers());
    }

    /**
     * Takes a method.
     *
     * @param declared method of the bean's class
     * @throws IllegalStateException if it cannot be a listener, saying why
     */
    static ListenerMethod of(Object bean, String beanName, Method declared, TensorListener annotation) {
        Class<?>[] parameters = declared.getParameterTypes();
        boolean taken =
                parameters.length == 1 && (parameters[0] == ReceivedTensor.class || parameters[0] == Tensor.class);
        require(taken, declared, "must have one parameter, a ReceivedTensor or a Tensor");
        require(
                declared.getReturnType() == void.class,
                declared,
                "must return void: the tensor is closed when it returns, so it cannot go on later");
        require(annotation.names().length > 0, declared, "needs a pattern in 'names'");
        require(annotation.peers().length > 0, declared, "needs a pattern in 'peers'");
        Method invocable = AopUtils.selectInvocableMethod(declared, bean.getClass());
        ReflectionUtils.makeAccessible(invocable);
        String id = annotation.id().isEmpty() ? beanName + "." + declared.getName() : annotation.id();
        return new ListenerMethod(bean, invocable, id, annotation);
    }

    String id() {
        return id;
    }

    List<String> names() {
        return names;
    }

    List<String> peers() {
        return peers;
    }

    @Override
    public void receive(ReceivedTensor received) throws Exception {
        try (received) {
            boolean whole = method.getParameterTypes()[0] == ReceivedTensor.class;
            method.invoke(bean, whole ? received : received.tensor());
        } catch (InvocationTargetException ex) {
            ReflectionUtils.rethrowException(ex.getTargetException());
        }
    }

    private static void require(boolean fits, Method method, String rule) {
        if (!fits) {
            throw new IllegalStateException("@TensorListener method " + method.toGenericString() + " " + rule);
        }
    }
}

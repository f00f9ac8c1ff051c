package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.listener.AckMode;
import io.tensorfabric.listener.TensorHandler;
import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.ReceivedTensor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.util.ReflectionUtils;

/** Calls an annotated method through the proxies of its bean. Thread-safe. */
final class MethodTensorHandler implements TensorHandler {

    private final Object bean;

    private final Method method;

    private final ListenerArgument[] arguments;

    private MethodTensorHandler(Object bean, Method method, ListenerArgument[] arguments) {
        this.bean = bean;
        this.method = method;
        this.arguments = arguments;
    }

    static MethodTensorHandler of(ListenerMethod listener, ListenerArguments known) {
        Method declared = listener.method();
        ListenerArgument[] arguments = new ListenerArgument[declared.getParameterCount()];
        DefaultParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();
        for (int i = 0; i < arguments.length; i++) {
            MethodParameter parameter = new MethodParameter(declared, i);
            parameter.initParameterNameDiscovery(names);
            arguments[i] = known.find(listener, parameter);
        }
        boolean acknowledges = Arrays.asList(declared.getParameterTypes()).contains(Acknowledgment.class);
        if (listener.annotation().ack() == AckMode.MANUAL && !acknowledges) {
            throw listener.invalid(
                    "has ack = AckMode.MANUAL but no parameter of type Acknowledgment, so nobody could acknowledge",
                    "Add the parameter, or leave 'ack' out.");
        }
        Method invocable =
                AopUtils.selectInvocableMethod(declared, listener.bean().getClass());
        ReflectionUtils.makeAccessible(invocable);
        return new MethodTensorHandler(listener.bean(), invocable, arguments);
    }

    @Override
    public void handle(ReceivedTensor tensor, Acknowledgment acknowledgment) throws Exception {
        @Nullable Object[] values = new Object[arguments.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments[i].resolve(tensor, acknowledgment);
        }
        try {
            method.invoke(bean, values);
        } catch (InvocationTargetException ex) {
            ReflectionUtils.rethrowException(ex.getTargetException());
        }
    }
}

package io.tensorfabric.listener;

import io.tensorfabric.transfer.ReceivedTensor;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;

/**
 * Makes arguments for parameters of {@link io.tensorfabric.annotation.TensorListener} methods, of types that are not built
 * in. Beans of this type are asked in their order, before what is built in. Thread-safe.
 */
public interface TensorArgumentResolver {

    /** Whether it makes arguments for a parameter; asked once, when the application starts. */
    boolean supports(MethodParameter parameter);

    /**
     * Makes an argument.
     *
     * @param parameter one that it supports
     * @param tensor the tensor of the call, open until the listener is done with it
     * @throws Exception any: the listener failed
     */
    @Nullable Object resolve(MethodParameter parameter, ReceivedTensor tensor) throws Exception;
}

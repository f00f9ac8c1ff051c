package io.tensorfabric.listener;

/**
 * Makes containers of listeners. The bean named {@value #DEFAULT_BEAN_NAME} makes them for listeners that name no other
 * one.
 */
@FunctionalInterface
public interface TensorListenerContainerFactory {

    /** Name of the bean for listeners that name none. */
    String DEFAULT_BEAN_NAME = "tensorListenerContainerFactory";

    /** Makes a container, not started. */
    TensorListenerContainer createContainer(TensorListenerEndpoint endpoint);
}

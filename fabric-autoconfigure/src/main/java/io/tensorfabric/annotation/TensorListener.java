package io.tensorfabric.annotation;

import io.tensorfabric.listener.AckMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Marks a method of a singleton bean that takes tensors which peers push. It returns nothing. Its parameters may be, in any
 * order and number:
 *
 * <ul>
 *   <li>{@link io.tensorfabric.transfer.ReceivedTensor}: the tensor with its sender and headers
 *   <li>{@link io.tensorfabric.tensor.Tensor}, {@link io.tensorfabric.tensor.TensorDescriptor},
 *       {@link io.tensorfabric.tensor.Shape}, {@link io.tensorfabric.tensor.DataType}
 *   <li>{@link java.nio.ByteBuffer}: a view of the bytes without a copy, for tensors in host memory up to 2 GiB;
 *       {@code byte[]}: a copy
 *   <li>{@code Map<String, String>}: all headers; with {@link TensorHeader}, one of them
 *   <li>{@link io.tensorfabric.transfer.Acknowledgment}, with {@link AckMode#MANUAL} only
 *   <li>what a {@link io.tensorfabric.listener.TensorArgumentResolver} bean makes
 * </ul>
 *
 * <p>The tensor is a view of memory that the peer wrote to. <b>It is closed when the method returns</b>, so its room goes
 * back to the peer: copy what must outlive the call, or use {@link AckMode#MANUAL} and keep it until the acknowledgment.
 *
 * <p>An exception of the method goes to the error handler; without one it fails the push of a peer that waits for the receipt
 * PROCESSED. Methods may block. The application's listeners start last and stop first. They are found under their
 * {@link #id()} in the {@link io.tensorfabric.listener.TensorListenerEndpointRegistry}, to be started, stopped and paused.
 *
 * <p>Placeholders such as <code>${app.tensors}</code> are resolved in all texts.
 */
@Documented
@Reflective
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface TensorListener {

    /** Patterns of tensor names, one of which must fit; {@code *} stands for any characters. */
    String[] names() default "*";

    /** The same over names of peers. */
    String[] peers() default "*";

    /** Unique name of the listener; by default bean and method. */
    String id() default "";

    /**
     * Most calls at a time, on threads of the listener's own; 0 for the threads that all listeners share. By default what the
     * container factory says, which is {@code fabric.listener.concurrency}.
     */
    String concurrency() default "";

    /** Whether it starts with the application. By default what the container factory says. */
    String autoStartup() default "";

    /** Name of the {@link io.tensorfabric.listener.TensorListenerContainerFactory} bean; by default the application's. */
    String containerFactory() default "";

    /**
     * Name of the {@link io.tensorfabric.listener.TensorListenerErrorHandler} bean. By default that of the container factory,
     * which takes the only bean of that type.
     */
    String errorHandler() default "";

    /** Who says that a tensor is processed. */
    AckMode ack() default AckMode.AUTO;
}

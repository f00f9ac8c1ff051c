package io.tensorfabric.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a singleton bean that takes tensors which peers push. The method has one parameter, a
 * {@link io.tensorfabric.transfer.ReceivedTensor} or a {@link io.tensorfabric.tensor.Tensor}, and returns nothing.
 *
 * <p>The tensor is a view of memory that the peer wrote to. <b>It is closed when the method returns</b>, so its room goes
 * back to the peer: copy what must outlive the call. To keep tensors without a copy, register a
 * {@link io.tensorfabric.transfer.TensorReceiver} with the {@link io.tensorfabric.transfer.TensorListenerRegistry} and
 * close them yourself.
 *
 * <p>An exception of the method fails the push of a peer that waits for the receipt PROCESSED. Methods run on threads of
 * the fabric, several at a time, and may block. The application's listeners start last and stop first.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface TensorListener {

    /** Patterns of tensor names, one of which must fit; {@code *} stands for any characters. */
    String[] names() default "*";

    /** The same over names of peers. */
    String[] peers() default "*";

    /** Name of the listener in logs; by default bean and method. */
    String id() default "";
}

package io.tensorfabric.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of a {@link TensorListener} method that takes a header of the sender, as text or converted to a number,
 * an enum or anything else that Spring converts text to.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface TensorHeader {

    /** Key of the header; by default the name of the parameter. */
    String value() default "";

    /** Whether a tensor without the header fails. If not, the argument is {@code null} or the default. */
    boolean required() default true;

    /** Text to take when the header is missing, which then is not required; none unless set. */
    String defaultValue() default NONE;

    /** Stands for no default value. */
    String NONE = "\n\t\n\t\n";
}

/** Annotations for users of the Spring Boot starter. */
@NullMarked
package io.tensorfabric.annotation;

import org.jspecify.annotations.NullMarked;

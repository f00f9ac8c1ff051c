/** Listeners that are declared with {@link io.tensorfabric.annotation.TensorListener}. */
@NullMarked
package io.tensorfabric.autoconfigure.listener;

import org.jspecify.annotations.NullMarked;

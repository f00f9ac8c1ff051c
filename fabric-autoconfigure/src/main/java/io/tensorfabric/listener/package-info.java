/** Listeners of tensors in a Spring application: containers, their factory and their registry. */
@NullMarked
package io.tensorfabric.listener;

import org.jspecify.annotations.NullMarked;

/** Tensors and Java's foreign memory: segments, and C functions of DLPack. */
@NullMarked
package io.tensorfabric.segments;

import org.jspecify.annotations.NullMarked;

/**
 * Tensors as the fabric sees them: a name, an element type, a shape, and the bytes they occupy in memory. Values are
 * never interpreted or converted; what leaves one node arrives on the other bit by bit.
 */
@NullMarked
package io.tensorfabric.tensor;

import org.jspecify.annotations.NullMarked;

/** Tensors of ONNX Runtime. */
@NullMarked
package io.tensorfabric.interop.onnx;

import org.jspecify.annotations.NullMarked;

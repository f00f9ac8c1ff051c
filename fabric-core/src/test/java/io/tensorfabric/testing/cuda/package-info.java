/** A stub of the CUDA driver, for tests of GPU memory on machines without a GPU. */
@NullMarked
package io.tensorfabric.testing.cuda;

import org.jspecify.annotations.NullMarked;

/** Reads and writes NumPy's files. */
@NullMarked
package io.tensorfabric.interop.npy;

import org.jspecify.annotations.NullMarked;

/** Tensors in memory, in files as they were uploaded or received, within a budget. */
@NullMarked
package io.tensorfabric.service.store;

import org.jspecify.annotations.NullMarked;

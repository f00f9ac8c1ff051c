/** Micrometer metrics of the fabric. */
@NullMarked
package io.tensorfabric.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;

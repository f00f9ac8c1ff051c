/** Benchmarks: our pushes beside other ways to move the same bytes, in one run on the same devices. */
@NullMarked
package io.tensorfabric.bench;

import org.jspecify.annotations.NullMarked;

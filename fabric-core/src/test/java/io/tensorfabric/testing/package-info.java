/** Helpers for the tests of all modules, published as the test jar of fabric-core. */
@NullMarked
package io.tensorfabric.testing;

import org.jspecify.annotations.NullMarked;

/** The way to a device of the shim that has no files in {@code /dev}, for its benchmark. */
@NullMarked
package io.tensorfabric.verbs.ibverbs;

import org.jspecify.annotations.NullMarked;

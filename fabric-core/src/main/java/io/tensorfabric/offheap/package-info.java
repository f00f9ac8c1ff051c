/**
 * Raw native memory with {@code long} sizes and addresses: the lowest floor of the fabric, which every other package
 * stands on and which itself uses nothing but the JDK.
 *
 * <p>On Java 22 and later it reaches memory through the foreign function and memory API, before that through
 * {@code sun.misc.Unsafe}; both by constant method handles, so that one class file serves all releases without a
 * warning at compile time and without a call into deprecated code at run time.
 */
@NullMarked
package io.tensorfabric.offheap;

import org.jspecify.annotations.NullMarked;

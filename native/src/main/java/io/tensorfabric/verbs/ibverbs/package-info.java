/**
 * The verbs provider over libibverbs: real cards and the kernel's Soft-RoCE. Applications find it by
 * {@link java.util.ServiceLoader} as a {@link io.tensorfabric.verbs.VerbsProvider} and never name it.
 */
@NullMarked
package io.tensorfabric.verbs.ibverbs;

import org.jspecify.annotations.NullMarked;

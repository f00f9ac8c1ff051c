/**
 * The embedded software device: the verbs vocabulary over TCP, in plain Java, with the behaviour of the Linux kernel's
 * Soft-RoCE driver. {@link io.tensorfabric.verbs.soft.SoftFaults} breaks it on purpose for tests.
 */
@NullMarked
package io.tensorfabric.verbs.soft;

import org.jspecify.annotations.NullMarked;

/** Tensor transfers: landing zones, messages, flow control, receipts and listeners. */
@NullMarked
package io.tensorfabric.transfer;

import org.jspecify.annotations.NullMarked;

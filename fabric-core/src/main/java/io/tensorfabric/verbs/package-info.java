/**
 * The verbs vocabulary, one to one with libibverbs: devices, protection domains, memory regions and windows, queue
 * pairs and completion queues. The manual pages of libibverbs explain it; providers implement it.
 */
@NullMarked
package io.tensorfabric.verbs;

import org.jspecify.annotations.NullMarked;

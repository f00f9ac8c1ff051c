/** Registered memory: kinds of memory, pools of slabs that are registered once, and leases of buffers out of them. */
@NullMarked
package io.tensorfabric.memory;

import org.jspecify.annotations.NullMarked;

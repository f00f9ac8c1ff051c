/** Actuator endpoints of the fabric. They tell states and counters, never keys, addresses of memory or secrets. */
@NullMarked
package io.tensorfabric.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;

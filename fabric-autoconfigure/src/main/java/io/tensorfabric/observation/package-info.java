/** Observations of pushes and listeners, which carry traces from one to the other. */
@NullMarked
package io.tensorfabric.observation;

import org.jspecify.annotations.NullMarked;
